/** Owns the corrections that the sandbox's build makes to just-bash 3.4.2; each must match exactly once. Never reads or writes files. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: what is replaced is the text of a program
import { JQ } from "./jq-patches.ts";
import { replaceOnce } from "./sandbox-patches.ts";
import { ARITHMETIC, LISTS } from "./shell-arithmetic-patches.ts";
import { PATTERNS } from "./shell-expansion-patches.ts";
import { ENVIRONMENT, FUNCTIONS } from "./shell-function-patches.ts";
import { BYTES, LETTERS, ORDER } from "./shell-output-patches.ts";
import { STOPS } from "./shell-stop-patches.ts";
import { DECLARED, PRINTED, REPLACEMENTS } from "./shell-words-patches.ts";

export interface Patch {
  /** What holds with it. */
  readonly what: string;
  readonly before: string;
  readonly after: string;
}

/** Statements and scripts: errexit, background, traps, turns. */
const STATEMENTS: readonly Patch[] = [
  {
    what: "an assignment succeeds",
    before: 'return this.ctx.state.expansionStderr="",Q("",N,this.ctx.state.lastExitCode)}let l=',
    after:
      'return this.ctx.state.expansionStderr="",Q("",N,JSON.stringify(t.assignments).includes(\'"CommandSubstitution"\')?this.ctx.state.lastExitCode:0)}let l=',
  },
  {
    what: "others get their turn, and what ends in & is put aside",
    before: "async executeStatement(t){if(this.assertDefenseContext(",
    after:
      "async executeStatement(t){let turn$=sandboxTurn();turn$&&await turn$;if(t.background)return sandboxBackground(this,t);if(this.assertDefenseContext(",
  },
  {
    what: "errexit is off in what is tested",
    before: "let f=await this.executePipeline(c);",
    after:
      'let f=await sandboxTested(this.ctx.state,c.negated||l<t.pipelines.length-1?"tested":"counts",()=>this.executePipeline(c));',
  },
  {
    what: "the ERR trap, and which failures count",
    before:
      "a=this.ctx.state.errexitSafe;if(this.ctx.state.errexitSafe=o||i||a,this.ctx.state.options.errexit&&r!==0&&",
    after:
      'a=sandboxJudged(this.ctx.state,t.pipelines[s]);if(r!==0&&s===t.pipelines.length-1&&!i&&!this.ctx.state.inCondition&&!a){try{let h$=await sandboxError(this.ctx,t,r,or);n.append("stdout",h$.stdout),n.append("stderr",h$.stderr)}catch(h$){throw n.prependTo(h$),h$}}if(this.ctx.state.errexitSafe=o||i||a,this.ctx.state.options.errexit&&r!==0&&',
  },
  {
    what: "the EXIT trap runs, and what reads the script's output",
    before: "R=await new Yo(E,m).executeScript(x);",
    after: "R=await sandboxScript(new Yo(E,m),x,N=>or(N,{maxHeredocSize:this.limits.maxHeredocSize}),Ad);",
  },
  {
    what: "what exec's redirections start lasts as long as the script",
    before: "let o=await Ad(this.ctx,s);return!o.stdout&&!o.stderr?i:",
    after:
      'if(t.type==="SimpleCommand"&&t.args.length===0&&t.name?.parts[0]?.value==="exec")return this.ctx.state.sandboxKept=!0,i;let o=await Ad(this.ctx,s);return!o.stdout&&!o.stderr?i:',
  },
  {
    what: "subshells have traps of their own",
    before: "l=>kO(e,t,l.stdin??n,r,s||l.stdin!==void 0))}finally{",
    after: "l=>sandboxSubshell(e,()=>kO(e,t,l.stdin??n,r,s||l.stdin!==void 0),or))}finally{",
  },
  {
    what: "parts of a pipe change nothing of the shell",
    before: "R=await n(y,s)}catch(I){",
    after:
      "e.state.sandboxStreams.piped=piped$||!x;let part$=()=>E?sandboxSubshell(e,()=>n(y,s),or):n(y,s);R=await(x?part$():t.pipeStderr?.[w]?sandboxTogether(e.state,part$):sandboxApart(e.state,part$))}catch(I){",
  },
  {
    what: "commands know that a pipe takes their output",
    before: "let E=u&&(!x||!e.state.shoptOptions.lastpipe),A=E?",
    after: "let piped$=e.state.sandboxStreams.piped,E=u&&(!x||!e.state.shoptOptions.lastpipe),A=E?",
  },
  {
    what: "and that it does no longer",
    before: "e.state.groupStdin=d,e.state.groupStdinSourceFd=p)}if(A&&(e.state.env=A",
    after:
      "e.state.groupStdin=d,e.state.groupStdinSourceFd=p),e.state.sandboxStreams.piped=piped$}if(A&&(e.state.env=A",
  },
  {
    what: "command substitutions are subshells",
    before: "let p=await e.executeScript(t.body),h=p.exitCode",
    after: "let p=await sandboxCapture(e,t.body,or),h=p.exitCode",
  },
  {
    what: "a here-string may look like an assignment",
    before: 'e.isWord()||e.error("Expected redirection target");let i=e.parseWord();',
    after:
      'let i;if(e.check(v.ASSIGNMENT_WORD)){let a$=e.advance();i=e.parseWordFromString(a$.value,a$.quoted,a$.singleQuoted,!0)}else e.isWord()||e.error("Expected redirection target"),i=e.parseWord();',
  },
  {
    what: "a pattern that ends in / means directories, and keeps it",
    before: "async expand(t){if(this.globstar){",
    after:
      'async expand(t){if(t.length>1&&t.endsWith("/")&&this.hasGlobChars(t)){let found$=await this.expand(t.replace(/\\/+$/,"")),kept$=[];for(let one$ of found$)(await this.fs.stat(this.fs.resolvePath(this.cwd,one$)).catch(()=>null))?.isDirectory&&kept$.push(one$+"/");return kept$}if(this.globstar){',
  },
  { what: "set -E", before: '["E",null]', after: '["E","errtrace"]' },
  { what: "set -o errtrace", before: '["errtrace",null]', after: '["errtrace","errtrace"]' },
];

/** Builtins and how programs are found. */
const COMMANDS: readonly Patch[] = [
  {
    what: "the builtin trap",
    before: 't==="export")return gp(c,n);',
    after:
      't==="trap")return sandboxTrap(c,n);if(t==="export")return n[0]==="-f"?sandboxExport(c,n.slice(1),ur):gp(c,n);',
  },
  {
    what: "the builtins of jobs",
    before: 'if(t==="wait")return Fe;',
    after:
      'if(t==="wait")return sandboxWait(c,n);if(t==="kill")return sandboxKill(c,n,or,he,is);if(t==="jobs"||t==="disown")return sandboxJobs(c,t);',
  },
  {
    what: "eval is not nested without end",
    before: "return await e.executeScript(l)}catch(l){if(l instanceof Qt",
    after: 'return await sandboxNested(e,"eval",l,is)}catch(l){if(l instanceof Qt',
  },
  {
    what: "mapfile's options",
    before: 'if(t==="mapfile"||t==="readarray")return Ep(c,n,s);',
    after: 'if(t==="mapfile"||t==="readarray")return Ep(c,sandboxWords(n),s);',
  },
  {
    what: "source reads what it is given as input",
    before: 'if(t==="source"||t===".")return Ip(c,n);',
    after: 'if(t==="source"||t===".")return sandboxReturn(c,"source",()=>Ip(c,n,s),or);',
  },
  { what: "source takes its input", before: "async function Ip(e,t){", after: "async function Ip(e,t,stdin$){" },
  {
    what: "/dev/stdin of source",
    before: 'let r=n[0],s=null,i=null;if(r.includes("/")){',
    after:
      'let r=n[0],s=null,i=null;if(r==="/dev/stdin"||r==="/dev/fd/0")i=sandboxInput(stdin$||e.state.groupStdin||"");else if(r.includes("/")){',
  },
  {
    what: "exec with a command is the end",
    before: "S.internalProducerOmitsShellPrefix),g.finish(),E)throw E;",
    after:
      'S.internalProducerOmitsShellPrefix),g.finish(),E)throw E;if(u==="exec")throw new he(S.exitCode,zr(S),S.stderr);',
  },
  {
    what: "a command's input is what it reads as /dev/stdin",
    before: 'let d=r||i.state.groupStdin||"",p=!1,h=o();',
    after: 'let d=r||i.state.groupStdin||"",p=!1,h=o();i.state.sandboxStreams&&(i.state.sandboxStreams.text=d);',
  },
  {
    what: "files are run by what their first line names",
    before:
      'No such file or directory\n`,127)}if(i.startsWith("#!")){let l=i.indexOf(`\n`);l!==-1&&(i=i.slice(l+1))}let o=e.state.loopDepth',
    after: "No such file or directory\n`,127)}i=sandboxProgram(i);let o=e.state.loopDepth",
  },
  {
    what: "a directory is no command",
    before: 'if("error"in c)return c.error==="permission_denied"?',
    after:
      'if("error"in c)return c.error==="permission_denied"&&(await i.fs.stat(i.fs.resolvePath(i.state.cwd,t)).catch(()=>null))?.isDirectory?K(`bash: ${t}: Is a directory\n`,126):c.error==="permission_denied"?',
  },
  {
    what: "what was printed before a stop is kept",
    before: 'He=class extends yt{name="ExecutionAbortedError";constructor(t="",n=""){super("execution aborted",t,n)}}',
    after:
      'He=class extends C{name="ExecutionAbortedError";constructor(t="",n=""){super("execution aborted","aborted",t,n)}}',
  },
  {
    what: "a redirection that fails is the command's failure",
    before: "catch(a){throw await Ad(this.ctx,s).catch(()=>{}),a}",
    after:
      "catch(a){let fault$=sandboxFault(a);if(!fault$)throw await Ad(this.ctx,s).catch(()=>{}),a;i=sandboxRefused(this.ctx.state,fault$)}",
  },
  {
    what: "a text that is too large is its command's failure",
    before: "catch(S){if(S instanceof C||S instanceof He||S instanceof ye)throw S;",
    after:
      "catch(S){let large$=sandboxTooLarge(i.state,t,S);if(large$)return large$;if(S instanceof C||S instanceof He||S instanceof ye)throw S;",
  },
  {
    what: "no message speaks of browsers",
    before:
      "return n4(t)?K(`bash: ${t}: command not available in browser environments. Exclude '${t}' from your commands or use the Node.js bundle.\n`,127):K(",
    after: "return K(",
  },
];

/** What the sandbox's own commands, and who packs, use of just-bash. */
const EXPORTS: readonly Patch[] = [
  {
    what: "what is wrong within a substitution counts lines from its own beginning, and says so",
    before: "this.parseBudget.chargeTokens(this.tokens.length),this.parseScript()}finally{r?.()}}",
    after:
      "this.parseBudget.chargeTokens(this.tokens.length),this.parseScript()}catch(e$){throw this.ownsParseBudget||(e$.sandboxWithin=!0),e$}finally{r?.()}}",
  },
  {
    what: "the regular expressions that take linear time, and the parser",
    before: "export{Hp as Bash,",
    after: "N1();export{wa as LinearRegExp,or as parseShell,Hp as Bash,",
  },
];

/** Expansions and variables. */
const EXPANSIONS: readonly Patch[] = [
  {
    what: "a range has all its words, or is refused: its bound is the shell's own",
    before: "var Uo=1e4,md={maxResults:Uo,",
    after: "var Uo=1/0,md={maxResults:1e5,",
  },
  {
    what: "ranges of a whole script have no bound of their own, but that of its loops",
    before: 'consumeLimited("brace_operations",1,Math.min(Hw,e.limits.maxBraceExpansionResults),"brace expansion")',
    after: 'consumeLimited("brace_operations",1,e.limits.maxLoopIterations,"brace expansion")',
  },
  {
    what: "a range that has too many words is refused",
    before: "function Ll(e,t,n,r){if(e.length>=n.maxResults)return!1;",
    after:
      'function Ll(e,t,n,r){if(e.length>=n.maxResults)throw new C(`brace expansion result limit exceeded (${n.maxResults})`,"array_elements");',
  },
  {
    what: "set -u accepts a word that is one expansion with a default",
    before: 'c=await Cr(e,l),u=await We(e,l),f=u===""',
    after: 'c=await Cr(e,l),u=await We(e,l,!1),f=u===""',
  },
  {
    what: "${X:?words} names X",
    before: ':`${t}: parameter null or not set`;throw new he(1,"",`bash: ${o}\n`)',
    after: ':"parameter null or not set";throw new he(1,"",`bash: ${t}: ${o}\n`)',
  },
  {
    what: "an unset variable in a group or function ends the script",
    before: "if(sa(d)||d instanceof Yt||d instanceof he)throw d.prependOutput(o.stdout,o.stderr),d;",
    after: "if(sa(d)||d instanceof Yt||d instanceof he||d instanceof Jt)throw d.prependOutput(o.stdout,o.stderr),d;",
  },
  {
    what: "an unset variable in a branch ends the script",
    before: "if(sa(s)||s instanceof Yt||s instanceof he||s instanceof C||s instanceof hr)",
    after: "if(sa(s)||s instanceof Yt||s instanceof he||s instanceof Jt||s instanceof C||s instanceof hr)",
  },
  {
    what: "an unset variable in a loop ends the script",
    before: "e instanceof _t||e instanceof Yt||e instanceof he||e instanceof C)",
    after: "e instanceof _t||e instanceof Yt||e instanceof he||e instanceof Jt||e instanceof C)",
  },
  {
    what: "messages about unset variables are the shell's",
    before: "super(`${t}: unbound variable`,n,",
    after: "super(`bash: ${t}: unbound variable`,n,",
  },
  {
    what: "a name reference leads to an array",
    before: 'function Bt(e,t){return e.state.arrays?.get(t)}function $o(e,t,n="indexed"){',
    after: 'function Bt(e,t){return e.state.arrays?.get(cn(e,t)??t)}function $o(e,t,n="indexed"){t=cn(e,t)??t;',
  },
  {
    what: "a name reference is an array when its target is",
    before: "function Gt(e,t){return e.state.arrays?.has(t)??!1}",
    after: "function Gt(e,t){return e.state.arrays?.has(cn(e,t)??t)??!1}",
  },
  {
    what: "a list is assigned through a name reference",
    before: "let m=cn(e,n);if(m&&/^[a-zA-Z_][a-zA-Z0-9_]*\\[@\\]$/.test(m))return{",
    after: "let m=cn(e,n);m&&(n=m);if(m&&/^[a-zA-Z_][a-zA-Z0-9_]*\\[@\\]$/.test(m))return{",
  },
  {
    what: "elements through a name reference",
    before: 'function xe(e,t){return t==="FUNCNAME"?',
    after: 'function xe(e,t){return t=cn(e,t)??t,t==="FUNCNAME"?',
  },
];

const HOOKS =
  "sandboxAnew, sandboxApart, sandboxArithmetic, sandboxAttributes, sandboxBackground, sandboxBraces, " +
  "sandboxCalled, sandboxCaller, sandboxCapture, sandboxCaptured, sandboxCompute, sandboxConstant, sandboxCut, " +
  "sandboxDecode, sandboxDefined, sandboxEncode, sandboxError, sandboxExport, sandboxExported, sandboxFault, " +
  "sandboxFormatDate, sandboxFunctions, sandboxGlobstar, sandboxGoesOn, sandboxInput, sandboxInteger, sandboxJobs, " +
  "sandboxJoined, sandboxJudged, sandboxKill, sandboxLists, sandboxMany, sandboxMatched, sandboxNested, " +
  "sandboxNumber, sandboxPadded, sandboxParameters, sandboxParseDate, sandboxPlace, sandboxPlain, sandboxProgram, " +
  "sandboxRefused, sandboxReplacement, sandboxRerouted, sandboxReturn, sandboxRouted, sandboxScript, sandboxSign, " +
  "sandboxSubshell, sandboxSurroundings, sandboxTested, sandboxTogether, sandboxTooLarge, sandboxTraced, " +
  "sandboxTrap, sandboxTurn, sandboxUnquoted, sandboxUnsigned, sandboxWait, sandboxWords";

/** just-bash with those of its faults put right that stop real scripts. Throws when a patch does not fit any more. */
export function patchJustBash(source: string): string {
  const patches = [
    ...STATEMENTS,
    ...COMMANDS,
    ...EXPANSIONS,
    ...ARITHMETIC,
    ...LISTS,
    ...PATTERNS,
    ...FUNCTIONS,
    ...ENVIRONMENT,
    ...EXPORTS,
    ...STOPS,
    ...BYTES,
    ...LETTERS,
    ...ORDER,
    ...REPLACEMENTS,
    ...DECLARED,
    ...PRINTED,
    ...JQ,
  ];
  const patched = patches.reduce((text, { what, before, after }) => replaceOnce(text, what, before, after), source);
  return `import { ${HOOKS} } from "sandbox:hooks";\n${patched}`;
}

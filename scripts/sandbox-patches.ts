/** Owns the corrections that the sandbox's build makes to other people's code; each must match exactly once. Never reads or writes files. */

/** Replaces the one place where a text occurs. Throws when it is not there, or there more than once. */
export function replaceOnce(source: string, what: string, before: string, after: string): string {
  const at = source.indexOf(before);
  if (at < 0 || source.indexOf(before, at + 1) >= 0) {
    throw new Error(
      `patch "${what}" matches ${at < 0 ? "nowhere" : "more than once"}: the patched package has changed`,
    );
  }
  return source.slice(0, at) + after + source.slice(at + before.length);
}

/** Replaces every place where a text occurs. Throws when it is nowhere. */
function replaceEach(source: string, what: string, before: string, after: string): string {
  if (!source.includes(before)) {
    throw new Error(`patch "${what}" matches nowhere: the patched package has changed`);
  }
  return source.replaceAll(before, after);
}

/** CPython's Emscripten glue as an ES module that takes neither Node's nor a browser's side. */
export function patchCPython(source: string): string {
  let patched = replaceOnce(
    source,
    "no window",
    "var ENVIRONMENT_IS_WEB=!!globalThis.window;",
    "var ENVIRONMENT_IS_WEB=true;",
  );
  patched = replaceOnce(
    patched,
    "no worker",
    "var ENVIRONMENT_IS_WORKER=!!globalThis.WorkerGlobalScope;",
    "var ENVIRONMENT_IS_WORKER=false;",
  );
  patched = replaceOnce(
    patched,
    "no node",
    'var ENVIRONMENT_IS_NODE=globalThis.process?.versions?.node&&globalThis.process?.type!="renderer";',
    "var ENVIRONMENT_IS_NODE=false;",
  );
  patched = replaceOnce(patched, "names of addresses", 'Module["FS"]=FS;', 'Module["FS"]=FS;Module["DNS"]=DNS;');
  patched = replaceEach(patched, "no web sockets", 'require("ws")', "({})");
  return `const module={exports:{}},exports=module.exports;\n${patched}\nexport default module.exports;\n`;
}

/** just-bash with its faults put right that stop real scripts (facts: `set -u` with defaults, `set -e` after assignments). */
export function patchJustBash(source: string): string {
  let patched = replaceOnce(
    source,
    "set -u accepts a word that is one expansion with a default",
    'c=await Cr(e,l),u=await We(e,l),f=u===""',
    'c=await Cr(e,l),u=await We(e,l,!1),f=u===""',
  );
  patched = replaceOnce(
    patched,
    "an assignment succeeds",
    'return this.ctx.state.expansionStderr="",Q("",N,this.ctx.state.lastExitCode)}let l=',
    'return this.ctx.state.expansionStderr="",Q("",N,JSON.stringify(t.assignments).includes(\'"CommandSubstitution"\')?this.ctx.state.lastExitCode:0)}let l=',
  );
  patched = replaceOnce(
    patched,
    "the builtin trap",
    't==="export")return gp(c,n);',
    't==="trap")return sandboxTrap(c,n);if(t==="export")return gp(c,n);',
  );
  patched = replaceOnce(
    patched,
    "the EXIT trap runs",
    "R=await new Yo(E,m).executeScript(x);",
    "R=await sandboxScript(new Yo(E,m),x,N=>or(N,{maxHeredocSize:this.limits.maxHeredocSize}));",
  );
  patched = replaceOnce(
    patched,
    "files are run by what their first line names",
    'No such file or directory\n`,127)}if(i.startsWith("#!")){let l=i.indexOf(`\n`);l!==-1&&(i=i.slice(l+1))}let o=e.state.loopDepth',
    "No such file or directory\n`,127)}i=sandboxProgram(i);let o=e.state.loopDepth",
  );
  patched = replaceOnce(
    patched,
    "others get their turn",
    "async executeStatement(t){if(this.assertDefenseContext(",
    "async executeStatement(t){let turn$=sandboxTurn();turn$&&await turn$;if(this.assertDefenseContext(",
  );
  patched = replaceOnce(
    patched,
    "what was printed before a stop is kept",
    'He=class extends yt{name="ExecutionAbortedError";constructor(t="",n=""){super("execution aborted",t,n)}}',
    'He=class extends C{name="ExecutionAbortedError";constructor(t="",n=""){super("execution aborted","aborted",t,n)}}',
  );
  patched = replaceOnce(
    patched,
    "a redirection that fails is the command's failure",
    "catch(a){throw await Ad(this.ctx,s).catch(()=>{}),a}",
    "catch(a){let fault$=sandboxFault(a);if(!fault$)throw await Ad(this.ctx,s).catch(()=>{}),a;i=fault$}",
  );
  return `import { sandboxFault, sandboxProgram, sandboxScript, sandboxTrap, sandboxTurn } from "sandbox:hooks";\n${patched}`;
}

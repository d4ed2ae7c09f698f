/** Owns the corrections to just-bash's `${…}` on lists and matches, its declarations and its printf; shell-patches.ts applies it. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: what is replaced is the text of a program
import type { Patch } from "./shell-patches.ts";

const replacement = (what: string, name: string, held: string, expand: string): Patch => ({
  what,
  before: `let ${name}=${held}.replacement?await ${expand}(e,${held}.replacement.parts):""`,
  after: `let ${name}=${held}.replacement?await sandboxReplacement(e,${held}.replacement.parts,${expand}):""`,
});

/** `${name/pattern/string}` */
export const REPLACEMENTS: readonly Patch[] = [
  replacement("a value's replacement", "a", "n", "r"),
  replacement("a list's replacement", "p", "c", "n"),
  replacement("a list's replacement within a text", "b", "m", "s"),
  replacement("the parameters' replacement", "p", "l", "r"),
  replacement("a list's replacement without quotes", "d", "l", "n"),
  {
    what: "a match has its place in its replacement",
    before: "i.append(r),o=a.index",
    after: "i.append(sandboxMatched(r,a[0])),o=a.index",
  },
  {
    what: "also for lists, where $ means nothing",
    before: "for(let b of f)m.push(g.replace(b,p))",
    after: "for(let b of f)m.push(g.replace(b,match$=>sandboxMatched(p,match$)))",
  },
  {
    what: "and for lists within a text",
    before: "p=p.map(x=>y.replace(x,b))",
    after: "p=p.map(x=>y.replace(x,match$=>sandboxMatched(b,match$)))",
  },
  {
    what: "and for parameters",
    before: "xd(m,w.replace(y,p),g,e)",
    after: "xd(m,w.replace(y,match$=>sandboxMatched(p,match$)),g,e)",
  },
  {
    what: "shopt patsub_replacement",
    before: '"xpg_echo"],XI=',
    after: '"xpg_echo","patsub_replacement"],XI=',
  },
  { what: "which is on", before: "xpg_echo:!1}", after: "xpg_echo:!1,patsub_replacement:!0}" },
  {
    what: "# and % are letters where all matches are replaced",
    before: 't[i]==="#"?(c="start",i++):t[i]==="%"&&(c="end",i++);',
    after: 'l||(t[i]==="#"?(c="start",i++):t[i]==="%"&&(c="end",i++));',
  },
];

/** `${@@Q}` and others, declarations, and where functions are called from. */
export const DECLARED: readonly Patch[] = [
  {
    what: "parameters are transformed one by one",
    before:
      'operation?.type!=="Transform")return null;let r=n.parts[0],s=r.parameter.match(/^([a-zA-Z_][a-zA-Z0-9_]*)\\[([@*])\\]$/);if(!s)return null;let i=s[1],o=s[2]==="*",a=r.operation,l=xe(e,i);if(l.length===0){let d=e.state.env.get(i);',
    after:
      'operation?.type!=="Transform")return null;let r=n.parts[0],all$=r.parameter==="@"||r.parameter==="*",s=all$?[r.parameter,r.parameter,r.parameter]:r.parameter.match(/^([a-zA-Z_][a-zA-Z0-9_]*)\\[([@*])\\]$/);if(!s)return null;let i=s[1],o=s[2]==="*",a=r.operation,l=all$?gw(e).map((value$,at$)=>[at$+1,value$]):xe(e,i);if(l.length===0){let d=all$?void 0:e.state.env.get(i);',
  },
  {
    what: "also within a text",
    before: 'if(i&&s.operator==="Q")return xe(e,i[1])',
    after:
      'if((t==="@"||t==="*")&&s.operator==="Q")return gw(e).map(ts).join(t==="*"?Ne(e.state.env):" ");if(i&&s.operator==="Q")return xe(e,i[1])',
  },
  {
    what: "@A is a declaration",
    before: 'case"A":return r?"":`${t}=${ts(n)}`;',
    after: 'case"A":return r?"":`${ns(e,t)?`declare -${ns(e,t)} `:""}${t}=${ts(n)}`;',
  },
  {
    what: "maps as declare -p shows them",
    before: 'declare -A ${i}=(${f.join(" ")})',
    after: 'declare -A ${i}=(${f.join(" ")} )',
  },
  {
    what: "all of them",
    before: 'declare -A ${f}=(${w.join(" ")})',
    after: 'declare -A ${f}=(${w.join(" ")} )',
  },
  {
    what: "and those of declare -A",
    before: 'declare -A ${r}=(${i.join(" ")})',
    after: 'declare -A ${r}=(${i.join(" ")} )',
  },
  { what: "their values", before: "function sp(e){return Tt(e)}", after: "function sp(e){return ds(e)}" },
  {
    what: "and keys",
    before: "function ip(e){return`'",
    after: "function ip(e){return/^[\\w.\\/:@%+,-]+$/.test(e)?e:ds(e);return`'",
  },
  {
    what: "a local variable hides a list of its name, and is none",
    before: "r.set(p,x),c&&i(p)}",
    after: "r.set(p,x),(c||!l)&&(i(p),c||(e.state.arrays?.delete(p),e.state.associativeArrays?.delete(p)))}",
  },
  {
    what: "a default is assigned to a map's value",
    before: "let[,l,c]=a,u;if(/^\\d+$/.test(c))u=Number.parseInt(c,10",
    after:
      'let[,l,c]=a,u;if(e.state.associativeArrays?.has(l))return we(e,l,c,o,"associative"),o;if(/^\\d+$/.test(c))u=Number.parseInt(c,10',
  },
  {
    what: "subscripts and names are no variable that could be unset",
    before: "a=await We(e,r,!o);if(!s)return a;",
    after: 'a=await We(e,r,!o&&r!=="");if(!s)return a;',
  },
  {
    what: "local with attributes declares",
    before: 'if(t==="local")return xp(c,n);',
    after:
      'if(t==="local")return c.state.localScopes.length>0&&/^-[aA]*[ilrux]+[aAilrux]*$/.test(n[0]??"")?cp(c,n):xp(c,n);if(t==="caller")return sandboxCaller(c,n);',
  },
  ...["FUNCNAME", "BASH_LINENO", "BASH_SOURCE"].map(
    (name): Patch => ({
      what: `a subscript of ${name} is an expression`,
      before: `if(o==="${name}"){let f=Number.parseInt(a,10);`,
      after: `if(o==="${name}"){let f=/^\\d+$/.test(a)?Number(a):Number(await Te(e,Me(new be,a).expression));`,
    }),
  ),
  {
    what: "and tells whether there is one",
    before: "return u<0?!1:Xr(e,s,u)}return Xr(e,s,a)}if(rt(e,t))",
    after:
      "return u<0?!1:Xr(e,s,u)}return/^(FUNCNAME|BASH_LINENO|BASH_SOURCE)$/.test(s)?xe(e,s).length>a:Xr(e,s,a)}if(rt(e,t))",
  },
];

/** Numbers and widths of printf. */
export const PRINTED: readonly Patch[] = [
  {
    what: "numbers with a fraction",
    before: "function A8(e,t,n){",
    after: "function A8(e,t,n){return sandboxNumber(e,n);",
  },
  {
    what: "octal numbers",
    before: "o=Math.abs(t).toString(8)",
    after: "o=sandboxUnsigned(t).toString(8)",
  },
  {
    what: "hexadecimal numbers",
    before: "a=Math.abs(t).toString(16)",
    after: "a=sandboxUnsigned(t).toString(16)",
  },
  {
    what: "a precision counts bytes",
    before: "s=e;n>=0&&s.length>n&&(s=s.slice(0,n));let i=Math.abs(t);if(i>s.length){",
    after: "s=sandboxCut(e,n);let i=Math.abs(t);if(i>_(s)){",
  },
  {
    what: "and so does a width",
    before: 't<0?s=s.padEnd(i," "):s=s.padStart(i," ")',
    after: "s=sandboxPadded(s,t)",
  },
  {
    what: "%q shows letters",
    before: "/[\\x00-\\x1f\\x7f-\\xff]/.test(e),r=n?3:0",
    after: "/[\\x00-\\x1f\\x7f-\\x9f]/.test(e),r=n?3:0",
  },
];

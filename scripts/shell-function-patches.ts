/** Owns what the sandbox's build corrects of just-bash's functions on their way, and of the environment it hands on; shell-patches.ts applies it. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: what is replaced is the text of a program
import type { Patch } from "./shell-patches.ts";

/** Functions that are exported, and what is called when one is over. */
export const FUNCTIONS: readonly Patch[] = [
  {
    what: "functions know how they were written",
    before:
      "this.skipNewlines();let n=this.parseCompoundCommandBody({forFunctionBody:!0}),r=this.parseOptionalRedirections();return Y.functionDef(t,n,r)",
    after:
      "this.skipNewlines();let from$=this.current().start,n=this.parseCompoundCommandBody({forFunctionBody:!0}),r=this.parseOptionalRedirections();return{...Y.functionDef(t,n,r),sandboxText:this._input.slice(from$,this.tokens[this.pos-1].end)}",
  },
  {
    what: "unset -f takes a function from the environment, too",
    before: 'if(n==="function"){e.state.functions.delete(i);continue}',
    after: 'if(n==="function"){e.state.functions.delete(i),e.state.env.delete(`BASH_FUNC_${i}%%`);continue}',
  },
  {
    what: "a function that is defined anew is exported anew",
    before: "return e.state.functions.set(t.name,n),Fe}",
    after: "return e.state.functions.set(t.name,n),sandboxDefined(e.state.env,t),Fe}",
  },
  {
    what: "the RETURN trap of functions",
    before: "m=await e.executeCommand(t.body,p,h);",
    after: 'm=await sandboxReturn(e,"function",()=>e.executeCommand(t.body,p,h),or);',
  },
  { what: "set -T", before: '["T",null]', after: '["T","functrace"]' },
  { what: "set -o functrace", before: '["functrace",null]', after: '["functrace","functrace"]' },
];

/** The environment of programs that commands start: find -exec, timeout, env. */
export const ENVIRONMENT: readonly Patch[] = [
  {
    what: "a file that is run is known by the name it was called by, and gets what is exported",
    before: "i.state.hashTable.set(t,c.path)),await a(c.path,n,r)",
    after:
      'i.state.hashTable.set(t,c.path)),i.state.sandboxFile={path:t.includes("/")?t:c.path,env:o()},await a(c.path,n,r)',
  },
  {
    what: "it is a new shell",
    before: 'e.state.currentSource=t,e.state.env.set("0",t)',
    after: 'sandboxAnew(e.state,e.state.sandboxFile,or),e.state.env.set("0",e.state.currentSource)',
  },
  {
    what: "with its own traps",
    before: "let c=new be().parse(i),u=await s(c);return a(),u",
    after: "let c=new be().parse(i),u=await sandboxCalled(e,()=>s(c),or,is);return a(),u",
  },
  {
    what: "a function's own variables are of the kind it says",
    before: 'async function pc(e,t,n,r="",s,i=!1){e.state.callDepth++,',
    after: 'async function pc(e,t,n,r="",s,i=!1){let attributes$=sandboxAttributes(e.state);e.state.callDepth++,',
  },
  {
    what: "as long as it runs",
    before: "if(h)for(let[g,b]of h)b===void 0?e.state.env.delete(g)",
    after: "if(h&&attributes$(h.keys()),h)for(let[g,b]of h)b===void 0?e.state.env.delete(g)",
  },
  {
    what: "whatever they were outside",
    before: "let y=r.has(p);if(h!==void 0){",
    after: "let y=r.has(p);y||sandboxPlain(e.state,p);if(h!==void 0){",
  },
  {
    what: "a script gets all its words",
    before: "for(let l=0;l<n.length&&l<9;l++)e.state.env.set(",
    after: "for(let l=0;l<n.length;l++)e.state.env.set(",
  },
  {
    what: "commands hand on what is exported",
    before:
      'exec:(S,E)=>i.execFn(S,E,!1),execWithInheritedStdin:(S,E)=>i.execFn(S,{...E,stdin:d,stdinKind:"bytes"},!0)',
    after:
      'exec:(S,E)=>i.execFn(S,sandboxSurroundings(E,h),!1),execWithInheritedStdin:(S,E)=>i.execFn(S,{...sandboxSurroundings(E,h),stdin:d,stdinKind:"bytes"},!0)',
  },
  {
    what: "what a program is given it hands on",
    before: "functions:new Map(this.state.functions),localScopes:[...this.state.localScopes]",
    after:
      "functions:sandboxFunctions(this.state.functions,h,or),exportedVars:sandboxExported(this.state.exportedVars,u),localScopes:[...this.state.localScopes]",
  },
  {
    what: "find goes on, and ends well, when what it starts for a file fails",
    before: "F.exitCode!==0&&(d=F.exitCode);break}}}for(let[M,P]of T){",
    after: "undefined;break}}}for(let[M,P]of T){",
  },
  {
    what: "and ends with 1 when what it starts for all of them does",
    before: "B.exitCode!==0&&(d=B.exitCode)}return p?.build(d)",
    after: "B.exitCode!==0&&(d=1)}return p?.build(d)",
  },
  {
    what: "env begins with what is exported",
    before: "o=new Map(t.env);for(let l of r)o.delete(l);",
    after: "o=new Map(Object.entries(t.exportedEnv??{}));for(let l of r)o.delete(l);",
  },
];

/** Owns the corrections to what just-bash does with output: bytes that are no text, the order of both outputs; shell-patches.ts applies it. */
import type { Patch } from "./shell-patches.ts";

/** Bytes that are no UTF-8 come out as they were. */
export const BYTES: readonly Patch[] = [
  {
    what: "bytes become text",
    before: 'function $c(e){return ah(e)==="bytes"?ue(e.stdout):e.stdout}',
    after: 'function $c(e){return ah(e)==="bytes"?sandboxDecode(e.stdout):e.stdout}',
  },
  {
    what: "and text bytes",
    before: 'let n=K3.encode(e),r="";for(let s=0;s<n.length;s++)r+=String.fromCharCode(n[s]);return r}',
    after: "return sandboxEncode(e)}",
  },
  {
    what: "bytes of printf's escapes",
    before: 'function d8(e){let t="",n=0;',
    after: 'function d8(e){return sandboxDecode(e);let t="",n=0;',
  },
  {
    what: "bytes of $'…'",
    before: 'function mk(e){let t="",n=0;',
    after: 'function mk(e){return sandboxDecode(e);let t="",n=0;',
  },
  {
    what: "bytes of a format's escapes",
    before:
      'try{let a=new TextDecoder("utf-8",{fatal:!0});n+=a.decode(new Uint8Array(i))}catch{for(let a of i)n+=String.fromCharCode(a)}',
    after: "n+=sandboxDecode(i);",
  },
  {
    what: "octal bytes of a format",
    before: 'n+=String.fromCharCode(parseInt(i,8)),r=o;break}case"x":{',
    after: 'n+=sandboxDecode([parseInt(i,8)&255]),r=o;break}case"x":{',
  },
  {
    what: "octal bytes of %b that begin with 0",
    before: 'i?n+=String.fromCharCode(parseInt(i,8)):n+="\\0",r=o;',
    after: 'i?n+=sandboxDecode([parseInt(i,8)&255]):n+="\\0",r=o;',
  },
  {
    what: "and others",
    before: "n+=String.fromCharCode(parseInt(i,8)),r=o;break}default:n",
    after: "n+=sandboxDecode([parseInt(i,8)&255]),r=o;break}default:n",
  },
  {
    what: "octal bytes of echo",
    before: 't+=String.fromCharCode(o)}n=i;break}case"x":{',
    after: 't+=sandboxDecode([o])}n=i;break}case"x":{',
  },
  {
    what: "bytes of echo",
    before: 't+=String.fromCharCode(o),n=i}break}case"u":{',
    after: 't+=sandboxDecode([o]),n=i}break}case"u":{',
  },
];

/** What `read` and `mapfile` take of their input are letters, where it is bytes. */
export const LETTERS: readonly Patch[] = [
  {
    what: "what read has read is text",
    before: "I(R)}x===`\n`&&S.endsWith(`\n`)",
    after: "I(R)}S=ue(S),x===`\n`&&S.endsWith(`\n`)",
  },
  {
    what: "-n counts letters",
    before: "else A(X),z++,F++,R=z}",
    after: "else A(X),z++,sandboxGoesOn(b,z)||F++,R=z}",
  },
  {
    what: "and so does -N",
    before: "let F=Math.min(l,b.length);S=b.substring(0,F),O(S),",
    after: "let F=0;for(let left$=l;F<b.length&&left$>0;)F++,sandboxGoesOn(b,F)||left$--;S=ue(b.substring(0,F)),O(S),",
  },
  {
    what: "what mapfile has read is text",
    before: 'bytes)`,"string_length");f.push(w)};for(;d<u.length;)',
    after: 'bytes)`,"string_length");f.push(ue(w))};for(;d<u.length;)',
  },
];

/** `2>&1` keeps the order. */
export const ORDER: readonly Patch[] = [
  {
    what: "messages say where, and commands know where both outputs go",
    before: "S=await this.runCommand(u,f,d,n,!1,!1,w,y)",
    after:
      "S=sandboxPlace(this.ctx.state,t.line,u,await sandboxRouted(this.ctx.state,t.redirections,b.targets,()=>this.runCommand(u,f,d,n,!1,!1,w,y)))",
  },
  {
    what: "and so do compound commands, whose redirections may fail",
    before: "if(i=await s.prepare(n),i.error)return ji(i);",
    after: "if(i=await s.prepare(n),i.error)return sandboxRefused(e.state,ji(i));",
  },
  {
    what: "what they hold is run so",
    before: "let l=await r(i);return await fs(e,l,t,i.targets",
    after: "let l=await sandboxRouted(e.state,t,i.targets,()=>r(i));return await fs(e,l,t,i.targets",
  },
  {
    what: "exec redirects for good",
    before: "return g.finish(),Fe}if(this.ctx.state.extraArgs)",
    after: "return sandboxRerouted(this.ctx.state,t.redirections,b.targets),g.finish(),Fe}if(this.ctx.state.extraArgs)",
  },
  {
    what: "a command's trace comes before what it prints",
    before: "A&&(S={...S,stderr:A+S.stderr}),S=await fs(",
    after: "A&&(S=sandboxTraced(this.ctx.state,t.redirections,S,A)),S=await fs(",
  },
  {
    what: "a pipeline gives one text where both go the same way",
    before: "let{internalPipeStatusOverride:g,...b}=i;return b",
    after:
      'let{internalPipeStatusOverride:g,...b}=i;return sandboxJoined(e.state,b,t.commands.length>1?"stderr":"stdout")',
  },
  {
    what: "a process substitution has an output of its own",
    before: "let h;try{h=await e.executeScript(t)}catch(m){if(m instanceof C)throw m;if(m instanceof he)return{stdout",
    after:
      "let h;try{h=await sandboxApart(e.state,()=>e.executeScript(t))}catch(m){if(m instanceof C)throw m;if(m instanceof he)return{stdout",
  },
];

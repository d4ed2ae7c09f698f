/** Owns the corrections that the sandbox's build makes to jq as just-bash has it; never the shell's. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: what is replaced is the text of a program
import type { Patch } from "./shell-patches.ts";

export const JQ: readonly Patch[] = [
  {
    what: "@csv quotes texts",
    before:
      'return i.includes(",")||i.includes(\'"\')||i.includes(`\n`)||i.includes("\\r")?`"${i.replace(/"/g,\'""\')}"`:i})',
    after: 'return`"${i.replace(/"/g,\'""\')}"`})',
  },
  {
    what: "unique sorts",
    before: 'let l=JSON.stringify(a);i.has(l)||(i.add(l),o.push(a))}return[o]}return[null];case"tojson"',
    after: 'let l=JSON.stringify(a);i.has(l)||(i.add(l),o.push(a))}return[o.sort(Wa)]}return[null];case"tojson"',
  },
  {
    what: "group_by sorts",
    before: "return[[...u.values()]]",
    after:
      "return[[...u].sort(([a$],[b$])=>o(a$===void 0?null:JSON.parse(a$),b$===void 0?null:JSON.parse(b$))).map(([,v$])=>v$)]",
  },
  { what: "-j writes texts as they are", before: 'E==="--join-output")c=!0;', after: 'E==="--join-output")c=r=!0;' },
  {
    what: "a field of nothing is made",
    before: 'if(l&&typeof l=="object"&&!Array.isArray(l)){let f=$t(l),d=Object.hasOwn(f,c.name)?',
    after: 'if(l??={},l&&typeof l=="object"&&!Array.isArray(l)){let f=$t(l),d=Object.hasOwn(f,c.name)?',
  },
  {
    what: "a field of a field that is not there is made",
    before: 'if(c.base)return o(l,c.base,f=>{if(f&&typeof f=="object"&&!Array.isArray(f)){let d=$t(f),p=',
    after: 'if(c.base)return o(l,c.base,f=>{if(f??={},f&&typeof f=="object"&&!Array.isArray(f)){let d=$t(f),p=',
  },
  {
    what: "an element of a field that is not there is made",
    before: 'c.base)return o(l,c.base,p=>{if(typeof d=="number"&&Array.isArray(p)){',
    after: 'c.base)return o(l,c.base,p=>{if(p??=typeof d=="number"?[]:{},typeof d=="number"&&Array.isArray(p)){',
  },
  {
    what: "walk comes to what is no array or object",
    before: 'map(w=>w!==null&&typeof w=="object"?u.get(w)??w:w);else if(m)',
    after: 'map(w=>w!==null&&typeof w=="object"?u.get(w)??w:s(w,n[0],r)[0]);else if(m)',
  },
  {
    what: "walk comes to values of objects",
    before: 'Ze(w,x,S!==null&&typeof S=="object"?u.get(S)??S:S)',
    after: 'Ze(w,x,S!==null&&typeof S=="object"?u.get(S)??S:s(S,n[0],r)[0])',
  },
  {
    what: "match finds all that the flag g asks for",
    before: "c=ie(o,`${a}d`).exec(e);if(!c)return[];let u=c.indices;return[{offset:",
    after: "re$=ie(o,`${a}d`),all$=[],c;for(;all$.length<1e5&&(c=re$.exec(e));){let u=c.indices;all$.push({offset:",
  },
  {
    what: "and gives them",
    before: 'name:null}))}]}catch{return[null]}}case"capture"',
    after: 'name:null}))});if(!a.includes("g"))break}return all$}catch{return[null]}}case"capture"',
  },
];

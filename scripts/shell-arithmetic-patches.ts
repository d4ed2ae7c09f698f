/** Owns the corrections to just-bash's arithmetic and lists: integers of 64 bits, substitutions within, words of elements. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: what is replaced is the text of a program
import type { Patch } from "./shell-patches.ts";

export const ARITHMETIC: readonly Patch[] = [
  {
    what: "operators with two sides",
    before: "function qN(e,t,n){switch(n){",
    after: "function qN(e,t,n){return sandboxCompute(e,t,n,Ge);switch(n){",
  },
  {
    what: "assigning operators",
    before: 'function Yw(e,t,n){switch(n){case"=":return t;',
    after: 'function Yw(e,t,n){if(n!=="=")return sandboxCompute(e,t,n.slice(0,-1),Ge);switch(n){case"=":return t;',
  },
  {
    what: "operators with one side",
    before: 'function ZN(e,t){switch(t){case"-":return-e;',
    after: 'function ZN(e,t){return sandboxSign(e,t);switch(t){case"-":return-e;',
  },
  {
    what: "constants",
    before:
      'let n=Number.parseInt(e.slice(2),16);return n>Number.MAX_SAFE_INTEGER?Number.MAX_SAFE_INTEGER:n}if(e.startsWith("0")&&e.length>1&&/^[0-9]+$/.test(e)){if(/[89]/.test(e))return Number.NaN;let n=Number.parseInt(e,8);return n>Number.MAX_SAFE_INTEGER?Number.MAX_SAFE_INTEGER:n}let t=Number.parseInt(e,10);return t>Number.MAX_SAFE_INTEGER?Number.MAX_SAFE_INTEGER:t}',
    after:
      'return sandboxConstant(e.slice(2),16)}if(e.startsWith("0")&&e.length>1&&/^[0-9]+$/.test(e)){if(/[89]/.test(e))return Number.NaN;return sandboxConstant(e,8)}return sandboxConstant(e,10)}',
  },
  {
    what: "values of texts",
    before: "async function QN(e,t,n){if(!t)return 0;let r=Number.parseInt(t,10);",
    after: "async function QN(e,t,n){if(!t)return 0;let r=sandboxInteger(t);",
  },
  {
    what: "values of variables",
    before:
      "let s=Number.parseInt(r,10);if(!Number.isNaN(s)&&/^-?\\d+$/.test(r.trim()))return s;let i=r.trim();if(/^[a-zA-Z_]",
    after:
      "let s=sandboxInteger(r);if(!Number.isNaN(s)&&/^-?\\d+$/.test(r.trim()))return s;let i=r.trim();if(/^[a-zA-Z_]",
  },
  {
    what: "values of parameters",
    before:
      "let a=Number.parseInt(o,10);if(!Number.isNaN(a)&&/^-?\\d+$/.test(o))return a;let l=new be,{expr:c}=$i(l,o,0);return await s(c)}",
    after:
      "let a=sandboxInteger(o);if(!Number.isNaN(a)&&/^-?\\d+$/.test(o))return a;let l=new be,{expr:c}=$i(l,o,0);return await s(c)}",
  },
  {
    what: "a command substitution within is one like any, and braces hold any expansion",
    before:
      'case"ArithCommandSubst":{if(e.execFn){let i=await e.execFn(t.command,{signal:e.state.signal});i.stderr&&(e.state.expansionStderr=(e.state.expansionStderr||"")+i.stderr);let o=i.stdout.trim();return Number.parseInt(o,10)||0}return 0}case"ArithBracedExpansion":{let i=await Gl(e,t.content);return Number.parseInt(i,10)||0}',
    after:
      'case"ArithCommandSubst":{let i=await Tn(e,{type:"CommandSubstitution",body:or(t.command)},!0);return QN(e,i,r)}case"ArithBracedExpansion":{let i=await sandboxBraces(e,t.content,Gl,_e,n=>new be().parseWordFromString(n,!0,!1));return QN(e,i,r)}',
  },
  {
    what: "and so where it is a part of a word",
    before:
      'case"ArithBracedExpansion":return await Gl(e,t.content);case"ArithCommandSubst":return e.execFn?(await e.execFn(t.command,{signal:e.state.signal})).stdout.trim():"0";',
    after:
      'case"ArithBracedExpansion":return await sandboxBraces(e,t.content,Gl,_e,s=>new be().parseWordFromString(s,!0,!1));case"ArithCommandSubst":return(await Tn(e,{type:"CommandSubstitution",body:or(t.command)},!0)).trim();',
  },
  {
    what: "counting up and down",
    before:
      'a=Number.parseInt(await We(e,o),10)||0,l=t.operator==="++"?a+1:a-1;return e.state.env.set(o,String(l)),t.prefix?l:a',
    after:
      "a=sandboxInteger(await We(e,o))||0,l=sandboxCompute(a,1,t.operator[0],Ge);return e.state.env.set(o,String(l)),t.prefix?l:a",
  },
  {
    what: "what an assignment adds to",
    before: 'c=Number.parseInt(l||"0",10)||0,u=await s(t.value),f=Yw(c,u,t.operator)',
    after: 'c=t.operator==="="?0:await QN(e,l||"0",r),u=await s(t.value),f=Yw(c,u,t.operator)',
  },
  {
    what: "a number whose digits are expanded",
    before: "if(s<t.length&&/[a-zA-Z_]/.test(t[s])){let p=c;for(",
    after:
      'if(c.endsWith("#")&&t[s]==="$"){let inner$=n7(e,t,s);return{expr:{type:"ArithConcat",parts:[{type:"ArithVariable",name:c,hasDollarPrefix:!1},inner$.expr]},pos:inner$.pos}}if(s<t.length&&/[a-zA-Z_]/.test(t[s])){let p=c;for(',
  },
  {
    what: "and is read in its base",
    before: "return/^[a-zA-Z_][a-zA-Z0-9_]*$/.test(i)?await kd(e,i,r):Number.parseInt(i,10)||0}",
    after: 'return/^[a-zA-Z_][a-zA-Z0-9_]*$/.test(i)?await kd(e,i,r):i.includes("#")?Lo(i)||0:sandboxInteger(i)||0}',
  },
  {
    what: "command substitutions in subscripts are like any",
    before: "async function hd(e,t){",
    after:
      'async function hd(e,t){if(t.includes("$(")||t.includes("`"))return await _e(e,new be().parseWordFromString(t,!1,!1));',
  },
];

export const LISTS: readonly Patch[] = [
  {
    what: "lists of declarations are told apart from their words",
    before: 'let p=d.map(m=>Gf(e,m)),h=`${f}=(${p.join(" ")})`;s.push(e.parseWordFromString(h,!1,!1,!0))}else{',
    after:
      'let add$=f.endsWith("+"),name$=add$?f.slice(0,-1):f;lists$.push({name:name$,append:add$,elements:d}),s.push(Y.word([Y.literal(name$)]))}else{',
  },
  {
    what: "and kept while a command is read",
    before: "function Zf(e){let t=e.getSourceLine(),n=[],r=null,s=[],i=[];",
    after: "function Zf(e){let lists$=[],t=e.getSourceLine(),n=[],r=null,s=[],i=[];",
  },
  {
    what: "a declaration of lists is a group of what it means",
    before: "let o=Y.simpleCommand(r,s,n,i);return o.line=t,o",
    after: "let o=Y.simpleCommand(r,s,n,i);return o.line=t,sandboxLists(o,lists$,Y)",
  },
  {
    what: "letters change in every element",
    before: "async function sw(e,t,n,r){if(t.length!==1",
    after:
      'async function sw(e,t,n,r){let part$=t.length===1&&t[0].type==="DoubleQuoted"&&t[0].parts.length===1?t[0].parts[0]:null,all$=part$?.operation?.type!=="CaseModification"?null:/^[@*]$/.test(part$.parameter)?["","",part$.parameter]:/^([a-zA-Z_][a-zA-Z0-9_]*)\\[([@*])\\]$/.exec(part$.parameter);if(all$){let values$=[];for(let[,value$]of all$[1]===""?gw(e).map(value$=>[0,value$]):xe(e,all$[1]))values$.push(await K7(e,value$,part$.operation,n,r));return{values:all$[2]==="*"?[values$.join(Ne(e.state.env))]:values$,quoted:!0}}if(t.length!==1',
  },
  {
    what: "the version that scripts are written for",
    before: 'var T6="5.1.0(1)-release"',
    after: 'var T6="5.2.15(1)-release"',
  },
];

/** Owns the corrections that the sandbox's build makes to jq as just-bash has it; never the shell's. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: what is replaced is the text of a program
import type { Patch } from "./shell-patches.ts";

export const JQ: readonly Patch[] = [
  {
    what: "-e tells of the last output, and of none",
    before: "M=o&&(E.length===0||E.every(U=>U==null||U===!1))?1:0",
    after: "M=o?E.length===0?4:E.at(-1)==null||E.at(-1)===!1?1:0:0",
  },
  {
    what: "@text of any value",
    before: 'case"@text":return typeof e=="string"?[e]:e==null?[""]:[String(e)];',
    after: 'case"@text":return[typeof e=="string"?e:JSON.stringify(e)];',
  },
  {
    what: "@base64 of any value",
    before: 'case"@base64":if(typeof e=="string"){',
    after: 'case"@base64":if(typeof e!="string"&&(e=JSON.stringify(e)),typeof e=="string"){',
  },
  {
    what: "strptime knows formats",
    before: "if(o!==xg)throw new Error(",
    after:
      'let read$=sandboxParseDate(e,o);if(read$)return[read$];if(o!==xg)throw new Error(`date "${e}" does not match format "${o}"`);if(o!==xg)throw new Error(',
  },
  {
    what: "and strftime",
    before: "return[o.replace(/%Y/g,String(a.getUTCFullYear()))",
    after: "return[sandboxFormatDate(o,a.getTime())];return[o.replace(/%Y/g,String(a.getUTCFullYear()))",
  },
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
  {
    what: "escapes of texts",
    before: 'case"(":f+="\\\\(",d=1;break;default:f+=h}continue}',
    after:
      'case"(":f+="\\\\(",d=1;break;case"b":f+="\\b";break;case"f":f+="\\f";break;case"u":{let hex$="";for(let k$=0;k$<4&&!i();k$++)hex$+=s();f+=String.fromCharCode(Number.parseInt(hex$,16));break}default:f+=h}continue}',
  },
  {
    what: "a text in a format",
    before: 'parsePrimary(){if(this.match("DOTDOT"))',
    after:
      'parsePrimary(){if(this.check("IDENT")&&this.peek().value.startsWith("@")&&this.peek(1).type==="STRING"){let format$={type:"Call",name:this.advance().value,args:[]},text$=this.parseStringInterpolation(this.advance().value);return{...text$,parts:text$.parts.map(part$=>typeof part$==="string"?part$:{type:"Pipe",left:part$,right:format$})}}if(this.match("DOTDOT"))',
  },
  {
    what: "{$name}",
    before:
      '(n=s,r={type:"Field",name:s})}else if(this.check("STRING"))n=this.advance().value,this.expect("COLON","Expected',
    after:
      's.startsWith("$")?(n=s.slice(1),r={type:"VarRef",name:s}):(n=s,r={type:"Field",name:s})}else if(this.check("STRING"))if(n=this.advance().value,!this.check("COLON"))r={type:"Field",name:n};else this.expect("COLON","Expected',
  },
  {
    what: "the inputs that are left",
    before: 'case"input_line_number":return[1];',
    after:
      'case"input_line_number":return[0];case"input":if(!r.budget?.pending$?.length)throw new Error("No more inputs");return[r.budget.pending$.shift()];case"inputs":return r.budget?.pending$?.splice(0)??[];',
  },
  {
    what: "are read, also where none is given to the program",
    before: "let x=[];if(!l)if(m.length===0||",
    after: "let x=[];if(!l||/\\binputs?\\b/.test(d))if(m.length===0||",
  },
  {
    what: "one after the other",
    before: "if(l)E=te(null,S,A);else if(s&&a){",
    after:
      'let pending$=A.budget.pending$=[];if(/\\binputs?\\b/.test(d)&&!a){for(let{content:U}of x)s?pending$.push(...U.replace(/\\n$/,"").split("\\n")):U.trim()&&pending$.push(...So(U.trim(),y));if(l)E=te(null,S,A);else for(;pending$.length>0;)O(E,te(pending$.shift(),S,A))}else if(l)E=te(null,S,A);else if(s&&a){',
  },
  {
    what: "programs from files, indentation",
    before: 'if(!(E==="-M"||E==="--monochrome"))if(E==="--tab")f=!0;',
    after:
      'if(!(E==="-M"||E==="--monochrome"))if(E==="-f"||E==="--from-file")file$=!0;else if(E==="--indent"){let n$=Number(e[++S]);if(!(n$>=0&&n$<=7))return Lr("--indent takes a number between 0 and 7");n$===0?i=!0:indent$=n$}else if(E==="--unbuffered");else if(E==="--tab")f=!0;',
  },
  {
    what: "which are read first",
    before: 'if(w.length>0){let S=await n("arg file read"',
    after:
      'if(file$){let S=await n("program read",()=>Js(t,[d],{cmdName:"jq",stopOnError:!0}));if(S.exitCode!==0)return{stdout:"",stderr:S.stderr,exitCode:2};d=ue(S.files[0].content).replace(/^\\s*#.*$/gm,"")}if(w.length>0){let S=await n("arg file read"',
  },
  {
    what: "and are none at the beginning",
    before: 'd=".",p=!1,h="none",m=[],g=new Map,b=[],w=[],y={maxDepth:',
    after: 'd=".",p=!1,h="none",file$=!1,indent$=2,m=[],g=new Map,b=[],w=[],y={maxDepth:',
  },
  {
    what: "as wide as is asked",
    before: "{compact:i,raw:r,sortKeys:u,useTab:f,limitKind:",
    after: "{compact:i,raw:r,sortKeys:u,useTab:f,indent:indent$,limitKind:",
  },
  {
    what: "sub knows what its names have caught",
    before:
      'let i=s(e,n[0],r),o=s(e,n[1],r),a=String(i[0]),l=String(o[0]);try{let c=n.length>2?String(s(e,n[2],r)[0]):"";return[ie(a,c).replace(e,l)]}catch{return[e]}',
    after:
      'let a=String(s(e,n[0],r)[0]);try{let c=n.length>2?String(s(e,n[2],r)[0]):"";return[sandboxCaptured(ie(a,c.replace("g","")+"g"),e,g$=>String(s(g$,n[1],r)[0]),c.includes("g")?1/0:1)]}catch{return[e]}',
  },
  {
    what: "and gsub",
    before:
      'let i=s(e,n[0],r),o=s(e,n[1],r),a=String(i[0]),l=String(o[0]);try{let c=n.length>2?String(s(e,n[2],r)[0]):"g",u=c.includes("g")?c:`${c}g`;return[ie(a,u).replace(e,l)]}catch{return[e]}',
    after:
      'let a=String(s(e,n[0],r)[0]);try{let c=n.length>2?String(s(e,n[2],r)[0]):"g",u=c.includes("g")?c:`${c}g`;return[sandboxCaptured(ie(a,u),e,g$=>String(s(g$,n[1],r)[0]),1/0)]}catch{return[e]}',
  },
];

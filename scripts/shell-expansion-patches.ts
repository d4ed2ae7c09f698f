/** Owns the corrections to just-bash's patterns, special variables and texts of functions. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: what is replaced is the text of a program
import type { Patch } from "./shell-patches.ts";

export const PATTERNS: readonly Patch[] = [
  {
    what: "classes in patterns of case and [[",
    before: 'else if(s==="["){let i=e.indexOf("]",r+1);i!==-1?(n+=e.slice(r,i+1),r=i):n+="\\\\["}else/[\\\\^$.|+(){}]/',
    after: 'else if(s==="["){let i=mN(e,r);i!==-1?(n+=gN(e.slice(r+1,i)),r=i):n+="\\\\["}else/[\\\\^$.|+(){}]/',
  },
  {
    what: "an excluding class may begin with a bracket",
    before: 'function mN(e,t){let n=t+1;for(n<e.length&&e[n]==="^"&&n++,',
    after: 'function mN(e,t){let n=t+1;for(n<e.length&&(e[n]==="^"||e[n]==="!")&&n++,',
  },
  {
    what: "(( is arithmetic where it closes as one",
    before: "this.looksLikeNestedSubshells(n+2)||this.dparenClosesWithSpacedParens(n+2)",
    after: "!sandboxArithmetic(t,n+2)",
  },
  {
    what: "<< in (( )) begins no here-document",
    before: "this.pendingHeredocDelimiterMode=!1,this.makeToken(v.DLESS",
    after: "this.pendingHeredocDelimiterMode=this.dparenDepth>0?void 0:!1,this.makeToken(v.DLESS",
  },
  {
    what: "(( )) is read as it was written",
    before:
      "let a=this.parseArithmeticExpression(n.trim()),l=this.parseOptionalRedirections();return Y.arithmeticCommand(",
    after:
      "let raw$=this._input.slice(t.end,this.peek(-1).end-2),a=this.parseArithmeticExpression(raw$.trim()),l=this.parseOptionalRedirections();return Y.arithmeticCommand(",
  },
  {
    what: "eval of what does not parse fails",
    before: 'if(l.name==="ParseException")return K(`bash: eval: ${l.message}\n`);throw l}finally{(a||o',
    after:
      'if(l.name==="ParseException"||l.name==="LexerError")return K(`bash: eval: ${l.message.replace(/^Parse error at (\\d+):\\d+/,"line $1")}\n`,2);throw l}finally{(a||o',
  },
  {
    what: "declare -f writes functions",
    before: 'let N=!0;for(let I of w)e.state.functions.has(I)||(N=!1);return Q("","",N?0:1)}',
    after:
      'let N=!0,text$="";for(let I of w){let f$=e.state.functions.get(I);f$?text$+=(f$.body.type==="Group"?I+" () \\n{ \\n"+Zn(f$.body.body)+"\\n}":rN(f$))+"\\n":N=!1}return Q(text$,"",N?0:1)}',
  },
  {
    what: "** at any place",
    before: "async expandRecursive(t){",
    after: "async expandRecursive(t){return sandboxGlobstar(this,t);",
  },
  {
    what: "FUNCNAME ends with main",
    before: 'function xe(e,t){return t=cn(e,t)??t,t==="FUNCNAME"?(e.state.funcNameStack??[]).map(',
    after:
      'function xe(e,t){return t=cn(e,t)??t,t==="FUNCNAME"?(e.state.funcNameStack?.length?[...e.state.funcNameStack,"main"]:[]).map(',
  },
  {
    what: "one name of FUNCNAME",
    before: 'return!Number.isNaN(f)&&f>=0?e.state.funcNameStack?.[f]??"":""',
    after:
      'return!Number.isNaN(f)&&f>=0?(f>0&&f===e.state.funcNameStack?.length?"main":e.state.funcNameStack?.[f])??"":""',
  },
  {
    what: "variables of time and place",
    before: 'case"BASH_VERSION":return T6;',
    after:
      'case"BASH_VERSION":return T6;case"EPOCHSECONDS":return String(Math.floor(Date.now()/1e3));case"EPOCHREALTIME":return(Date.now()/1e3).toFixed(6);case"SRANDOM":return String(Math.floor(Math.random()*4294967296));case"BASH_SUBSHELL":return String(e.state.sandboxSubshells??0);case"BASH":return"/usr/bin/bash";',
  },
  {
    what: "which are always set",
    before: '"SECONDS","BASH_VERSION","!","BASHPID","LINENO"]).has(t))return!0',
    after:
      '"SECONDS","BASH_VERSION","EPOCHSECONDS","EPOCHREALTIME","SRANDOM","BASH_SUBSHELL","BASH","!","BASHPID","LINENO"]).has(t))return!0',
  },
  {
    what: "a command's name may be many words",
    before: "let u=await _e(this.ctx,t.name),f=[],d=[],p=(N,I)=>{",
    after:
      'let many$=sandboxMany(t.name)?[...(await dr(this.ctx,t.name)).values]:null,u=many$?many$.shift()??"":await _e(this.ctx,t.name),f=[],d=[],p=(N,I)=>{',
  },
  {
    what: "which come before its words",
    before: 'if(Fp(t.name,["local","declare","typeset","export","readonly"])&&(u==="local"',
    after:
      'if(many$)for(let word$ of many$)p(word$,!0);if(Fp(t.name,["local","declare","typeset","export","readonly"])&&(u==="local"',
  },
  {
    what: "and where there are none, the next one is the name",
    before: 'N.type==="ArithmeticExpansion");!u&&m&&f.length>0&&(u=f.shift(),d.shift());',
    after: 'N.type==="ArithmeticExpansion")||many$?.length===0&&u==="";!u&&m&&f.length>0&&(u=f.shift(),d.shift());',
  },
  {
    what: "for without words goes through the parameters",
    before: 'i=(e.state.env.get("@")||"").split(" ").filter(Boolean);',
    after: "i=sandboxParameters(e.state);",
  },
  {
    what: "quotes within substitutions of an expression stay",
    before: "function uk(e){let t=",
    after: "function uk(e){return sandboxUnquoted(e);let t=",
  },
  {
    what: "bytes count as bytes where standard error goes elsewhere",
    before: "S=_(w.stdout),E=_(w.stderr),A=Math.min(S,x);",
    after: 'S=w.stdoutKind==="bytes"?w.stdout.length:_(w.stdout),E=_(w.stderr),A=Math.min(S,x);',
  },
  {
    what: "the number of parameters",
    before: 'case"Length":return q7(e,r,a)',
    after: 'case"Length":return r==="@"||r==="*"?e.state.env.get("#")||"0":q7(e,r,a)',
  },
  {
    what: "the number of any letter",
    before: "function aa(e){",
    after: "function aa(e){if((e[0]===\"'\"||e[0]==='\"')&&e.length>1)return Yn=!1,e.codePointAt(1);",
  },
  {
    what: "a list in one word is joined by IFS",
    before: 'if(a==="@"||a==="*"){let f=xe(e,o);if(f.length>0)return f.map(([,p])=>p).join(" ");',
    after:
      'if(a==="@"||a==="*"){let f=xe(e,o);if(f.length>0)return f.map(([,p])=>p).join(a==="*"?Ne(e.state.env):" ");',
  },
];

/** Owns the corrections to what just-bash keeps of the output of what is stopped. */
import type { Patch } from "./shell-patches.ts";

/** What has been printed when a run is stopped. */
export const STOPS: readonly Patch[] = [
  {
    what: "what a loop has printed is kept when its condition is stopped",
    before: "else throw e.state.inCondition=d,p",
    after: "else throw p instanceof C&&p.prependOutput(s.stdout,s.stderr),e.state.inCondition=d,p",
  },
  {
    what: "what a program (shell/programs.ts) has printed when it is stopped goes where its output goes",
    before: "let m=await Promise.race([d.then(()=>!0),new Promise(b=>{u=Xi(()=>b(!1),a)})]),g=",
    after:
      'let m=await Promise.race([d,new Promise(b=>{u=Xi(()=>b(!1),a)})]);if(m&&m.kind==="result"&&m.result.exitCode===137)return m.result;let g=',
  },
  {
    what: "output of a command that was stopped counts like any",
    before: 'appendOutput(t,n,r="execution",s=0,i="text"){this.assertUsable();',
    after: 'appendOutput(t,n,r="execution",s=0,i="text"){if(this.poisoned)throw this.poisoned;',
  },
  {
    what: "and is given on like any",
    before: "relinquishOutput(t,n,r){this.assertUsable(),",
    after: "relinquishOutput(t,n,r){if(this.poisoned)throw this.poisoned;",
  },
];

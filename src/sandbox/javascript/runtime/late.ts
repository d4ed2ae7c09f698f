/** Owns which parts of the runtime are a module of their own, loaded by the scripts that use them; never when. */
export { makeChildProcess } from "./child-process.ts";
export { makeHttp } from "./http.ts";
export { makeReadline } from "./readline.ts";

/** Owns which modules are made of the platform's or are small enough to be written here, in a module of their own: loaded by the scripts that use one; never when. */
export { withNodeCrypto } from "./crypto.ts";
export { makeOs } from "./os.ts";
export { isIgnored, signalOf } from "./signals.ts";
export { cluster, makePunycode, net, perfHooks, v8 } from "./small-modules.ts";
export { getSystemErrorMap, getSystemErrorMessage, getSystemErrorName } from "./system-errors.ts";
export { table } from "./table.ts";
export { withZlibCodes } from "./zlib-errors.ts";

/** Owns the corrections that the sandbox's build makes to other people's code; each must match exactly once. Never reads or writes files. */

/** Replaces the one place where a text occurs. Throws when it is not there, or there more than once. */
export function replaceOnce(source: string, what: string, before: string, after: string): string {
  const at = source.indexOf(before);
  if (at < 0 || source.indexOf(before, at + 1) >= 0) {
    throw new Error(
      `patch "${what}" matches ${at < 0 ? "nowhere" : "more than once"}: the patched package has changed`,
    );
  }
  return source.slice(0, at) + after + source.slice(at + before.length);
}

/** Replaces the one place that begins and ends with a text. Throws as {@link replaceOnce} does. */
function replaceBetween(source: string, what: string, [from, to]: readonly [string, string], after: string): string {
  const at = source.indexOf(from);
  const end = at < 0 ? -1 : source.indexOf(to, at);
  return replaceOnce(source, what, end < 0 ? from + to : source.slice(at, end + to.length), after);
}

/** Replaces every place where a text occurs. Throws when it is nowhere. */
function replaceEach(source: string, what: string, before: string, after: string): string {
  if (!source.includes(before)) {
    throw new Error(`patch "${what}" matches nowhere: the patched package has changed`);
  }
  return source.replaceAll(before, after);
}

/** CPython's Emscripten glue as an ES module beside the sandbox's own of Python, that takes neither Node's nor a browser's side. */
export function patchCPython(source: string): string {
  let patched = replaceOnce(
    source,
    "no window",
    "var ENVIRONMENT_IS_WEB=!!globalThis.window;",
    "var ENVIRONMENT_IS_WEB=true;",
  );
  patched = replaceOnce(
    patched,
    "no worker",
    "var ENVIRONMENT_IS_WORKER=!!globalThis.WorkerGlobalScope;",
    "var ENVIRONMENT_IS_WORKER=false;",
  );
  patched = replaceOnce(
    patched,
    "no node",
    'var ENVIRONMENT_IS_NODE=globalThis.process?.versions?.node&&globalThis.process?.type!="renderer";',
    "var ENVIRONMENT_IS_NODE=false;",
  );
  patched = replaceOnce(
    patched,
    "each of many names has an address of its own, and no name is one of JavaScript's",
    "addrs:{},names:{}},lookup_name(name){var res=inetPton4(name);",
    "addrs:Object.create(null),names:Object.create(null)},lookup_name(name){var res=inetPton4(name);",
  );
  patched = replaceOnce(patched, "addresses", '+"."+(id&65280);', '+"."+(id>>8&255);');
  patched = replaceOnce(patched, "names of addresses", 'Module["FS"]=FS;', 'Module["FS"]=FS;Module["DNS"]=DNS;');
  patched = replaceBetween(
    patched,
    "bytes as text",
    ["if(endPtr-idx>16&&heapOrArray.buffer&&UTF8Decoder)", "return str};"],
    "return textOf(Uint8Array.from(heapOrArray.slice(idx,endPtr)))};",
  );
  patched = replaceBetween(
    patched,
    "length of text",
    ["lengthBytesUTF8=str=>{", "return len};"],
    "lengthBytesUTF8=lengthOf;",
  );
  patched = replaceBetween(
    patched,
    "text as bytes",
    ["stringToUTF8Array=(str,heap,outIdx,maxBytesToWrite)=>{", "return outIdx-startIdx};"],
    "stringToUTF8Array=writeText;",
  );
  patched = replaceEach(patched, "no web sockets", 'require("ws")', "({})");
  return `import {lengthOf,textOf,writeText} from "./texts.ts";\nconst module={exports:{}},exports=module.exports;\n${patched}\nexport default module.exports;\n`;
}

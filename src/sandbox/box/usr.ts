/** Owns `/usr` as all runs of the isolate see it: Python's library and the names of commands; never a command. */
import names from "sandbox:command-names";
import { plant, sealedDir, sealedFile } from "../files/sealed.ts";
import { PYTHON_LIBRARY, plantStdlib } from "../python/stdlib.ts";
import { plantZones } from "../python/zones.ts";

export const usr = makeUsr();

function makeUsr() {
  const root = sealedDir();
  plantStdlib(root);
  plantZones(root);
  // Where Python looks for its own compiled modules: without it, it complains when it does not heed its environment (-I, -E).
  plant(
    root,
    `${PYTHON_LIBRARY}/lib-dynload/README`,
    sealedFile(0, () => new Uint8Array(0)),
  );
  for (const name of names) {
    plant(
      root,
      `bin/${name}`,
      sealedFile(0, () => new Uint8Array(0), 0o555),
    );
  }
  return root;
}

/** Owns which port a local edge listens on. */
import { once } from "node:events";
import { createServer } from "node:net";
import { SkillsError } from "../model/errors.ts";

/** The port that was asked for, which must be free; else the preferred one, or any free one when that is taken. */
export async function freePort(asked: number | null, preferred: number): Promise<number> {
  if (asked === null) {
    return (await isFree(preferred)) ? preferred : 0;
  }
  if (asked > 65_535) {
    throw new SkillsError("usage", `Cannot listen on port ${asked}: ports end at 65535`);
  }
  if (!(await isFree(asked))) {
    throw new SkillsError("port-taken", `Cannot listen on port ${asked}: something else does`, {
      hint: "give another --port, or none",
    });
  }
  return asked;
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
    return true;
  } catch {
    return false;
  } finally {
    server.close();
  }
}

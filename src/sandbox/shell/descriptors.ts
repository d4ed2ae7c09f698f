/** Owns showing what just-bash keeps at `/dev/fd/63` (process substitutions) to programs that read the run's files; never makes them. */
import type { Vfs } from "../files/vfs.ts";

interface Reader {
  readonly fs: { readFileBuffer(path: string): Promise<Uint8Array> };
}

const DESCRIPTOR = /^\/dev\/fd\/\d+$/;

/** Runs something with the descriptors among its words lying in the run's files too. */
export async function withDescriptors<T>(
  files: Vfs,
  words: readonly string[],
  { fs }: Reader,
  run: () => Promise<T>,
): Promise<T> {
  const paths = words.filter((word) => DESCRIPTOR.test(word) && word !== "/dev/fd/0");
  if (paths.length === 0) {
    return await run();
  }
  files.mkdirAll("/dev/fd");
  for (const path of paths) {
    files.writeFile(path, await fs.readFileBuffer(path));
  }
  try {
    return await run();
  } finally {
    for (const path of paths) {
      if (files.peek(path) !== null) {
        files.unlink(path);
      }
    }
  }
}

/** Owns what single languages do that no acceptance case asks for: errors of the system in Python's words. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Harness, startHarness } from "./sandbox.harness.ts";

let harness: Harness;

beforeAll(async () => {
  harness = await startHarness();
});

afterAll(async () => {
  await harness?.stop();
});

const ERRORS = `
import errno, os, subprocess, socket
def tell(call):
    try:
        call()
    except OSError as error:
        print(f"{error} | {error!r} | {type(error).__name__}")
def throw(error):
    raise error
class Own(OSError):
    def __init__(self, path, reason):
        super().__init__(reason)
tell(lambda: open("/nope"))
tell(lambda: os.rename("/nope", "/x"))
tell(lambda: open("/tmp"))
tell(lambda: os.mkdir("/tmp"))
tell(lambda: os.listdir("SKILL.md"))
tell(lambda: subprocess.run(["nope"]))
tell(lambda: socket.create_connection(("127.0.0.1", 9)))
tell(lambda: os.get_terminal_size())
tell(lambda: throw(FileNotFoundError(errno.ENOENT, "mine", "f")))
tell(lambda: throw(FileNotFoundError(2, "No such file or directory", "f")))
tell(lambda: throw(OSError(errno.EINVAL, "custom")))
tell(lambda: throw(OSError("words")))
tell(lambda: throw(Own("path", "reason")))
open("/nope")
`;

test("Python's errors have the numbers and words of Linux, those that scripts make up stay", async () => {
  const { result } = await harness.run({ runtime: "python", source: ERRORS });
  expect(result.stdout.split("\n")).toEqual([
    "[Errno 2] No such file or directory: '/nope' | FileNotFoundError(2, 'No such file or directory') | FileNotFoundError",
    "[Errno 2] No such file or directory: '/nope' -> '/x' | FileNotFoundError(2, 'No such file or directory') | FileNotFoundError",
    "[Errno 21] Is a directory: '/tmp' | IsADirectoryError(21, 'Is a directory') | IsADirectoryError",
    "[Errno 17] File exists: '/tmp' | FileExistsError(17, 'File exists') | FileExistsError",
    "[Errno 20] Not a directory: 'SKILL.md' | NotADirectoryError(20, 'Not a directory') | NotADirectoryError",
    "[Errno 2] No such file or directory: 'nope' | FileNotFoundError(2, 'No such file or directory') | FileNotFoundError",
    "[Errno 111] Connection refused | ConnectionRefusedError(111, 'Connection refused') | ConnectionRefusedError",
    "[Errno 25] Inappropriate ioctl for device | OSError(25, 'Inappropriate ioctl for device') | OSError",
    "[Errno 2] mine: 'f' | FileNotFoundError(2, 'mine') | FileNotFoundError",
    "[Errno 2] No such file or directory: 'f' | FileNotFoundError(2, 'No such file or directory') | FileNotFoundError",
    "[Errno 22] custom | OSError(22, 'custom') | OSError",
    "words | OSError('words') | OSError",
    "reason | Own('reason') | Own",
    "",
  ]);
  expect(result.stderr.trimEnd().split("\n").at(-1)).toBe(
    "FileNotFoundError: [Errno 2] No such file or directory: '/nope'",
  );
});

import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { createHttpFunctionRunner } from "../../../src/runners/http-function-runner.ts";
import { codeOf } from "../../helpers/error-code.ts";
import { jobOf } from "../../helpers/script-job.ts";

const SECRET = "of-this-test-only";

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

it("the function in another language of docs/functions.md speaks the protocol", { timeout: 30_000 }, async () => {
  const [, program = ""] = /```python\n(.*?)```/s.exec(readFileSync("docs/functions.md", "utf8")) ?? [];
  const port = await freePort();
  const env = { PATH: process.env.PATH, EDGE_SKILLS_FUNCTION_SECRET: SECRET, PORT: String(port) };
  const child = spawn("python3", ["-c", program], { env, stdio: "ignore" });
  onTestFinished(() => {
    child.kill();
  });
  const url = `http://127.0.0.1:${port}/`;
  const runWith = async (secret: string) =>
    createHttpFunctionRunner({ url, secret }).run(await jobOf({ argv: ["1.5", "2"] }));
  await expect
    .poll(
      () =>
        fetch(url).then(
          ({ status }) => status,
          () => 0,
        ),
      { timeout: 20_000 },
    )
    .toBe(501);
  expect(await runWith(SECRET)).toMatchObject({ exit_code: 0, stdout: "3.5\n", files: [] });
  expect(await codeOf(() => runWith("another"))).toBe("runner-failed");
});

import { afterAll, beforeAll, describe, it } from "vitest";
import { type FunctionServer, startFunctionServer } from "../../src/node/function-server.ts";
import { createHttpFunctionRunner } from "../../src/runners/http-function-runner.ts";
import { runnerContract } from "../../src/testing.ts";

const SECRET = "of-this-test-only";

let server: FunctionServer;

beforeAll(async () => {
  server = await startFunctionServer({ secret: SECRET });
});

afterAll(async () => {
  await server.stop();
});

/** The scripts are this project's own and harmless: they run as processes of this machine. */
describe.each(["python", "bash", "javascript"] as const)(
  "the function server with createHttpFunctionRunner(), %s: it",
  (runtime) => {
    const create = () => createHttpFunctionRunner({ url: server.url.href, secret: SECRET });
    it.each(runnerContract({ create, runtime }))("$name", ({ run }) => run());
  },
);

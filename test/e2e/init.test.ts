import { join } from "node:path";
import { expect, it } from "vitest";
import { cli, cliJson, directoryOf } from "../helpers/cli.ts";

it("a new skill of `init` runs in the sandbox, with the arguments that its schema names", async () => {
  const cwd = directoryOf({});
  expect((await cli(["init", "bird-log"], { cwd })).status).toBe(0);
  const { document } = await cliJson(["show", "bird-log", "--from", "bird-log"], { cwd });
  expect(document).toMatchObject({
    scripts: [
      {
        name: "scripts/greet.py",
        description: "Prints a greeting for one person.",
        runtime: "python",
        runnable: true,
        parameters: {
          type: "object",
          properties: {
            name: { type: "string", description: "whom to greet" },
            style: { type: "string", enum: ["plain", "formal"], default: "plain", description: "how to greet" },
          },
          required: ["name"],
          additionalProperties: false,
        },
      },
    ],
  });
  const words = [
    "run",
    "bird-log",
    "greet",
    "--from",
    join(cwd, "bird-log"),
    "--",
    "--name",
    "Ada",
    "--style",
    "formal",
  ];
  expect(await cli(words, { cwd })).toMatchObject({ status: 0, stdout: "Good day, Ada.\n" });
});

it("a skill is exported from a deployed channel as it was packed", async () => {
  const cwd = directoryOf({});
  await cli(["init", "skills/bird-log"], { cwd });
  await cli(["deploy", "skills", "--state", "state"], { cwd });
  const exported = await cliJson(["export", "bird-log", "-o", "b.zip", "--state", "state"], { cwd });
  expect(exported.status).toBe(0);
  const { document } = await cliJson(["import", "b.zip", "--to", "back"], { cwd });
  expect(document).toMatchObject({ skills: [{ digest: (exported.document as { digest: string }).digest }] });
});

import { statSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { makeDirectory } from "../../../src/pack/make-directory.ts";
import { directoryOf } from "../../helpers/cli.ts";
import { failureOf } from "../../helpers/error-code.ts";

it("makeDirectory() makes a directory and those above it, and answers the first that was not there", () => {
  const top = directoryOf({});
  expect(makeDirectory(join(top, "a/b/c"))).toBe(join(top, "a"));
  expect(statSync(join(top, "a/b/c")).isDirectory()).toBe(true);
  expect(makeDirectory(join(top, "a/b/c"))).toBeUndefined();
  expect(makeDirectory(join(top, "a/b/d"))).toBe(join(top, "a/b/d"));
});

it("makeDirectory() tells of a file in the way", async () => {
  const top = directoryOf({ file: "" });
  for (const path of ["file", "file/below", "file/far/below"]) {
    expect(await failureOf(() => makeDirectory(join(top, path)))).toMatchObject({ code: "storage-unavailable" });
  }
});

it("makeDirectory() ends where the system makes no directories", async () => {
  expect(await failureOf(() => makeDirectory("/proc/edge-skills/state"))).toMatchObject({
    code: "storage-unavailable",
    message: expect.stringContaining('Cannot make the directory "/proc'),
  });
});

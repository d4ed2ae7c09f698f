import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { localKey } from "../../../src/deploy/local-key.ts";
import { directoryOf } from "../../helpers/cli.ts";
import { codeOf } from "../../helpers/error-code.ts";

it("localKey() is made once for a state, for its owner only, and is another one for each state that is kept nowhere", () => {
  const state = directoryOf({});
  const key = localKey(state);
  expect(Buffer.from(key, "base64")).toHaveLength(32);
  expect([localKey(state), readdirSync(state), statSync(join(state, "secrets.key")).mode & 0o777]).toEqual([
    key,
    ["secrets.key"],
    0o600,
  ]);
  expect(new Set([key, localKey(null), localKey(null), localKey(directoryOf({}))]).size).toBe(4);
});

it("localKey() tells of a state that cannot keep it", async () => {
  expect(await codeOf(() => localKey(join(directoryOf({}), "not-there")))).toBe("storage-unavailable");
});

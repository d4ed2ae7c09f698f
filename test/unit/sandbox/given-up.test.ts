import { describe, expect, test, vi } from "vitest";
import { throwIfGivenUp } from "../../../src/sandbox/given-up.ts";

const gone = async () => {
  throw new Error("the run was given up");
};

describe("throwIfGivenUp()", () => {
  test("throws for a run that was long on its way and that its sender has given up", async () => {
    await expect(throwIfGivenUp({ sent_at: 1_000 }, { readFiles: gone }, 2_000)).rejects.toThrow("given up");
  });

  test("lets a run begin that its sender still answers for", async () => {
    await expect(throwIfGivenUp({ sent_at: 1_000 }, { readFiles: async () => [] }, 2_000)).resolves.toBeUndefined();
  });

  test.each([[{ sent_at: 1_000 }], [{}]])(
    "asks nothing about one that came at once, or by no such sender: %o",
    async (request) => {
      const readFiles = vi.fn(gone);
      await throwIfGivenUp(request, { readFiles }, 1_010);
      expect(readFiles).not.toHaveBeenCalled();
    },
  );
});

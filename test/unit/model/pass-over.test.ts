import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { passOver } from "../../../src/model/bounded-body.ts";

const MEBIBYTE = new Uint8Array(1024 * 1024);

/** A body that sends so many MiB, then ends or goes on without a word; how much was asked for, and whether it was told to stop. */
function sending(mebibytes: number, then: "ends" | "waits") {
  const seen = { sent: 0, cancelled: false };
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (seen.sent < mebibytes) {
          seen.sent++;
          controller.enqueue(MEBIBYTE);
          return;
        }
        if (then === "ends") {
          controller.close();
        }
      },
      cancel() {
        seen.cancelled = true;
      },
    },
    { highWaterMark: 0 },
  );
  return { seen, body };
}

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

test("a refused body is taken in to its end", async () => {
  const { seen, body } = sending(10, "ends");
  await passOver(body);
  expect(seen).toEqual({ sent: 10, cancelled: false });
});

test("one without an end is left after 64 MiB", async () => {
  const { seen, body } = sending(Number.POSITIVE_INFINITY, "ends");
  await passOver(body);
  expect(seen).toEqual({ sent: 65, cancelled: true });
});

test("one that says nothing is left after 2 s", async () => {
  const { seen, body } = sending(1, "waits");
  const passing = passOver(body);
  await vi.advanceTimersByTimeAsync(2_000);
  await passing;
  expect(seen).toEqual({ sent: 1, cancelled: true });
});

test("no body is nothing to wait for", async () => {
  expect(await passOver(null)).toBeUndefined();
});

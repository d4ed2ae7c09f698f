import { describe, expect, it } from "vitest";
import { channelKey } from "../../../../src/bundle/keys.ts";
import { movePointer, type Pointer } from "../../../../src/bundle/pointer-format.ts";
import { digestOf } from "../../../../src/model/digest.ts";
import { openTargetOn, patienceOn } from "../../../helpers/cloudflare/open-target.ts";
import { CloudflareStandIn } from "../../../helpers/cloudflare/stand-in.ts";
import { codeOf } from "../../../helpers/error-code.ts";

async function pointerTo(text: string): Promise<Pointer> {
  return movePointer(null, {
    bundle: await digestOf(text),
    at: "2026-11-30T00:00:00.000Z",
    by: "test",
    reason: "deploy",
  });
}

describe("openCloudflareTarget() with wrangler's login", () => {
  it("refuses two moves of one pointer that meet, and the next try finds the one that was first", async () => {
    const standIn = await CloudflareStandIn.start();
    try {
      const [one, other] = await Promise.all([0, 1].map(() => openTargetOn(standIn, patienceOn(standIn), "login")));
      if (one === undefined || other === undefined) {
        throw new Error("no targets");
      }
      const [first, second] = await Promise.all([pointerTo("first"), pointerTo("second")]);
      let met: Promise<unknown> | null = null;
      standIn.onRequest = (_at, when) => {
        const isWriting = standIn.seen.at(-1)?.method === "PUT" && standIn.seen.at(-1)?.path.includes("channel");
        if (when === "before" && isWriting && met === null) {
          met = codeOf(() => other.writePointer("platform", "live", second, null));
        }
      };
      expect(await one.writePointer("platform", "live", first, null)).toBe(true);
      expect(await met).toBe("target-busy");
      expect(await other.writePointer("platform", "live", second, null)).toBe(false);
      expect(new TextDecoder().decode(standIn.r2.get(channelKey("platform", "live"))?.bytes)).toContain(first.bundle);
      expect([...standIn.r2.keys()]).toEqual([channelKey("platform", "live")]);
    } finally {
      await standIn.stop();
    }
  });
});

/** Owns how many channels a layer may have: whoever deploys over HTTP makes none without end. The operator's own deploys are not counted. */
import { channelPrefix } from "../bundle/keys.ts";
import { SkillsError } from "../model/errors.ts";
import { UPLOAD_LIMITS } from "../model/upload.ts";
import type { UploadStorage } from "./upload-storage.ts";

/** Throws `channels-full` when a layer has no room for a new channel. */
export async function requireRoom(
  { layer, channel }: { readonly layer: string; readonly channel: string },
  storage: Pick<UploadStorage, "keys">,
): Promise<void> {
  const most = UPLOAD_LIMITS.channels;
  const keys = await storage.keys(channelPrefix(layer), { after: null, limit: most });
  if (keys.length >= most) {
    throw new SkillsError("channels-full", `Cannot make channel "${channel}": the layer has ${most} already`);
  }
}

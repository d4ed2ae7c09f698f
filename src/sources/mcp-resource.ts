/** Owns reading one resource of an MCP server as bytes. Absent is null; a server that fails is thrown on. */
import { type Client, ProtocolError } from "@modelcontextprotocol/client";
import { type Digest, digestOf } from "../model/digest.ts";
import { SkillsError } from "../model/errors.ts";

/** A resource as it came. */
export interface McpResource {
  readonly bytes: Uint8Array;
  readonly mediaType: string;
  readonly isText: boolean;
}

/** What servers answer for a resource or a method that they do not have. */
const ABSENT: ReadonlySet<number> = new Set([-32_002, -32_601, -32_602]);

/** Reads a resource, checked against its digest if there is one. */
export async function readMcpResource(
  client: Client,
  uri: string,
  digest: Digest | null,
  options: { readonly signal?: AbortSignal } = {},
): Promise<McpResource | null> {
  const found = await ask(client, uri, options);
  if (found !== null && digest !== null && (await digestOf(found.bytes)) !== digest) {
    throw new SkillsError("bundle-damaged", `Cannot use ${JSON.stringify(uri)}: its bytes are not those of its digest`);
  }
  return found;
}

async function ask(
  client: Client,
  uri: string,
  options: { readonly signal?: AbortSignal },
): Promise<McpResource | null> {
  try {
    const { contents } = await client.readResource({ uri }, options);
    const [content] = contents;
    if (content === undefined) {
      return null;
    }
    const bytes =
      "text" in content
        ? new TextEncoder().encode(content.text)
        : Uint8Array.from(atob(content.blob.replace(/^data:[^,]*,/, "")), (sign) => sign.charCodeAt(0));
    const isText = "text" in content;
    return { bytes, isText, mediaType: content.mimeType ?? (isText ? "text/plain" : "application/octet-stream") };
  } catch (cause) {
    if (cause instanceof ProtocolError && ABSENT.has(cause.code)) {
      return null;
    }
    throw new SkillsError("storage-unavailable", `Cannot read ${JSON.stringify(uri)} from its MCP server`, { cause });
  }
}

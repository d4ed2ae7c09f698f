/** Owns the MCP server of one request: the caller's tools, skills and resources. Made anew for each, so that nothing is shared between callers. */
import { CLIENT_CAPABILITIES_META_KEY, McpServer } from "@modelcontextprotocol/server";
import { SkillsExtension } from "@modelcontextprotocol/server/ext/skills";
import type { ToolAnswer } from "../provider/answers.ts";
import { answerCall } from "../provider/dispatch.ts";
import { callIn, resultIn, toolsIn } from "../provider/formats.ts";
import type { AgentSkillsProvider, ToolCaller } from "../provider/provider.ts";
import { type Asking, toPerson } from "./approval-url.ts";
import { guarded, type OnFailure } from "./guarded.ts";
import { indexDocument } from "./older-index.ts";
import { withPlainErrors } from "./plain-errors.ts";
import { createSkillSource, type OnRead } from "./skill-source.ts";

/** Whose server it is. */
export interface McpScene {
  readonly provider: AgentSkillsProvider;
  readonly caller: ToolCaller;
  /** Name of the snapshot. */
  readonly bundle: string;
  readonly onFailure: OnFailure;
  readonly onRead: OnRead;
}

/** Where skills were listed before `skills/list`: some hosts still read it. */
const OLDER_INDEX = "skill://index.json";

/** Makes the server. */
export async function createSkillsServer({
  provider,
  caller,
  bundle,
  onFailure,
  onRead,
}: McpScene): Promise<McpServer> {
  const { instructions, tools } = await provider.getContext(caller);
  const catalogue = await provider.getCatalogue(caller);
  const mcp = new McpServer(
    { name: "edge-skills", version: "1" },
    { capabilities: { tools: {}, resources: {} }, ...(instructions === "" ? {} : { instructions }) },
  );
  const definitions = toolsIn("mcp", tools) as unknown as { name: string; inputSchema: { type: "object" } }[];
  mcp.server.setRequestHandler("tools/list", () => ({ tools: definitions }));
  const answer = guarded(onFailure, async (params: unknown, asking: Asking) => {
    const call = callIn("mcp", params);
    const answered: ToolAnswer & { bundle: string } = { ...(await answerCall(provider, call, caller)), bundle };
    return toPerson(answered, asking) ?? (resultIn("mcp", call, answered) as { content: [] });
  });
  mcp.server.setRequestHandler("tools/call", ({ params }, { mcpReq }) =>
    answer(params, {
      capabilities: capabilitiesIn(mcpReq.envelope),
      isRepeat: mcpReq.inputResponses !== undefined,
    }),
  );
  mcp.registerResource(
    "skill-index",
    OLDER_INDEX,
    { description: "The skills, in the older form", mimeType: "application/json" },
    guarded(onFailure, async () => ({
      contents: [{ uri: OLDER_INDEX, mimeType: "application/json", text: await indexDocument(catalogue) }],
    })),
  );
  new SkillsExtension({ source: createSkillSource(catalogue, onFailure, onRead), onWarning: () => undefined }).attach(
    mcp,
  );
  return withPlainErrors(mcp);
}

/** What the client said that it can do; the SDK hands the keys on as they came. */
function capabilitiesIn(envelope: object | undefined): Asking["capabilities"] {
  const known: Readonly<Record<string, unknown>> = { ...envelope };
  return known[CLIENT_CAPABILITIES_META_KEY] as Asking["capabilities"];
}

/** Owns which path leads to which handler. What is done before and after each is app.ts's, what each answers its own file's. */
import { decideApproval, getApproval, listApprovals } from "./approval-routes.ts";
import { addBlock, liftBlock, listBlocks, spreadBlocks } from "./block-routes.ts";
import { getConsole } from "./console-route.ts";
import { getBundle, getRecord, listDeploys, moveChannel } from "./deploy-routes.ts";
import { DISCOVERY, OLDER_DISCOVERY } from "./discovery.ts";
import {
  getArchive,
  getDiscoveredArchive,
  getDiscoveredFile,
  getDiscovery,
  getLlmsText,
  getOlderDiscovery,
} from "./discovery-routes.ts";
import { getDocs, getHealth, getOpenApi } from "./docs-routes.ts";
import type { Handler } from "./handler.ts";
import { serveMcp } from "./mcp-route.ts";
import { getResourceMetadata, RESOURCE_METADATA } from "./oauth.ts";
import { callTool, getContext, getFile, getSkill, listSkills, runScript } from "./routes.ts";
import { deleteSkill, putSkill } from "./runtime-routes.ts";
import { listSecrets, putSecret, removeSecret } from "./secret-routes.ts";
import { createTenant, deleteTenant, listTenants, switchTenant } from "./tenant-routes.ts";
import { createToken, listTokens, revokeToken } from "./token-routes.ts";
import { callTools } from "./tool-calls.ts";
import { beginUpload, endUpload, takeBlob, takeBlobs } from "./upload-routes.ts";

/** A path and what it does for each method it takes. */
export interface Route {
  readonly path: string;
  readonly on: Readonly<Record<string, Handler>>;
}

/** All routes; `/c/<channel>` may stand before each path. openapi.ts describes each of them. */
export const ROUTES: readonly Route[] = [
  { path: "/healthz", on: { GET: getHealth } },
  { path: "/openapi.json", on: { GET: getOpenApi } },
  { path: "/docs", on: { GET: getDocs } },
  { path: "/console", on: { GET: getConsole } },
  { path: "/console/console.css", on: { GET: getConsole } },
  { path: "/console/console.js", on: { GET: getConsole } },
  { path: "/console/approvals/:id", on: { GET: getConsole } },
  { path: "/v1/context", on: { GET: getContext } },
  { path: "/v1/skills", on: { GET: listSkills } },
  { path: "/v1/skills/:name", on: { GET: getSkill } },
  { path: "/v1/skills/:name/archive.tar.gz", on: { GET: getArchive("tar.gz") } },
  { path: "/v1/skills/:name/archive.zip", on: { GET: getArchive("zip") } },
  { path: "/v1/skills/:name/files/:path{.+}", on: { GET: getFile } },
  { path: `${DISCOVERY}/index.json`, on: { GET: getDiscovery } },
  { path: `${DISCOVERY}/:archive{[^/]+\\.(?:tar\\.gz|zip)}`, on: { GET: getDiscoveredArchive } },
  { path: `${DISCOVERY}/:name/SKILL.md`, on: { GET: getDiscoveredFile } },
  { path: `${OLDER_DISCOVERY}/index.json`, on: { GET: getOlderDiscovery } },
  { path: `${OLDER_DISCOVERY}/:name/:path{.+}`, on: { GET: getDiscoveredFile } },
  { path: "/llms.txt", on: { GET: getLlmsText } },
  { path: "/mcp", on: { GET: serveMcp, POST: serveMcp, DELETE: serveMcp } },
  { path: "/v1/tool-calls", on: { POST: callTools } },
  { path: "/v1/runtime/skills/:name", on: { PUT: putSkill, DELETE: deleteSkill } },
  { path: "/v1/uploads", on: { POST: beginUpload } },
  { path: "/v1/uploads/:id", on: { DELETE: endUpload } },
  { path: "/v1/uploads/:id/blobs", on: { POST: takeBlobs } },
  { path: "/v1/uploads/:id/blobs/:digest", on: { PUT: takeBlob } },
  { path: "/v1/deploys", on: { GET: listDeploys, POST: moveChannel } },
  { path: "/v1/deploys/:bundle", on: { GET: getBundle } },
  { path: "/v1/deploys/:bundle/records/:record", on: { GET: getRecord } },
  { path: "/v1/blocks", on: { GET: listBlocks, POST: addBlock } },
  { path: "/v1/blocks/spread", on: { POST: spreadBlocks } },
  { path: "/v1/blocks/:digest", on: { DELETE: liftBlock } },
  { path: "/v1/tenants", on: { GET: listTenants, POST: createTenant } },
  { path: "/v1/tenants/:name", on: { DELETE: deleteTenant } },
  { path: "/v1/tenants/:name/suspend", on: { POST: switchTenant("suspended") } },
  { path: "/v1/tenants/:name/resume", on: { POST: switchTenant("active") } },
  { path: "/v1/tokens", on: { GET: listTokens, POST: createToken } },
  { path: "/v1/tokens/:id", on: { DELETE: revokeToken } },
  { path: "/v1/secrets", on: { GET: listSecrets } },
  { path: "/v1/secrets/:name", on: { PUT: putSecret, DELETE: removeSecret } },
  { path: RESOURCE_METADATA, on: { GET: getResourceMetadata } },
  { path: `${RESOURCE_METADATA}/mcp`, on: { GET: getResourceMetadata } },
  { path: "/v1/approvals", on: { GET: listApprovals } },
  { path: "/v1/approvals/:id", on: { GET: getApproval, POST: decideApproval } },
  { path: "/v1/tools/load_skill", on: { POST: callTool("load_skill") } },
  { path: "/v1/tools/search_skills", on: { POST: callTool("search_skills") } },
  { path: "/v1/tools/read_skill_resource", on: { POST: callTool("read_skill_resource") } },
  { path: "/v1/tools/run_skill_script", on: { POST: runScript } },
];

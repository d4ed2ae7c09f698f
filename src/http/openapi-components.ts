/** Owns the shapes of answers as JSON Schema, for the OpenAPI document. */

const text = { type: "string" } as const;
const maybeText = { type: ["string", "null"] } as const;
const count = { type: ["integer", "null"] } as const;
const digest = { type: ["string", "null"], pattern: "^sha256:[0-9a-f]{64}$" } as const;
const list = (items: object): object => ({ type: "array", items });
const object = (properties: Readonly<Record<string, object>>, optional: readonly string[] = []): object => ({
  type: "object",
  properties,
  required: Object.keys(properties).filter((key) => !optional.includes(key)),
});
const ref = (name: string): object => ({ $ref: `#/components/schemas/${name}` });
const map = { type: "object", additionalProperties: true } as const;

const skillFacts = { name: text, description: text, layer: maybeText, digest };

/** The shapes by their names; `RunExtras` are what a caller may add to a run. */
export const COMPONENTS = {
  Problem: object(
    {
      type: text,
      title: text,
      status: { type: "integer" },
      code: text,
      detail: text,
      request_id: text,
      candidates: list(text),
      diagnostics: list(map),
    },
    ["candidates", "diagnostics"],
  ),
  Context: object({ bundle: text, instructions: text, tools: list(map) }),
  SkillPage: object({ bundle: text, skills: list(ref("SkillSummary")), next_cursor: maybeText }),
  SkillSummary: object({ ...skillFacts, resources: count, scripts: count }),
  Skill: object({
    bundle: text,
    ...skillFacts,
    frontmatter: map,
    metadata: { type: "object", additionalProperties: text },
    allowed_tools: list(text),
    body: text,
    resources: { type: ["array", "null"], items: ref("Resource") },
    scripts: { type: ["array", "null"], items: ref("Script") },
  }),
  Resource: object({ name: text, size: count, media_type: text, digest }),
  Script: object({
    name: text,
    description: maybeText,
    runtime: maybeText,
    parameters: map,
    runnable: { type: "boolean" },
    reason: maybeText,
  }),
  ToolAnswer: object(
    {
      is_error: { type: "boolean" },
      content: { ...text, description: "Text for the model" },
      bundle: text,
      skill: object({ name: text, digest }),
      resource: object({
        name: text,
        media_type: text,
        encoding: { enum: ["utf-8", "base64"] },
        size: { type: "integer" },
        offset: { type: "integer" },
        next_offset: count,
      }),
      run: ref("Run"),
      next_offset: { type: "integer" },
      approval: object({ id: text, status: { const: "pending" }, url: maybeText, expires_at: text }),
      error: object({ code: text, message: text, candidates: list(text), retry_after_ms: { type: "integer" } }, [
        "retry_after_ms",
      ]),
    },
    ["skill", "resource", "run", "next_offset", "approval", "error"],
  ),
  Run: object({
    exit_code: count,
    stdout: text,
    stderr: text,
    timed_out: { type: "boolean" },
    truncated: { type: "boolean" },
    limit: { enum: [null, "cpu", "wall", "memory", "files", "processes", "network"] },
    duration_ms: { type: "number" },
    files: list(
      object({
        path: text,
        size: { type: "integer" },
        media_type: text,
        encoding: { enum: ["utf-8", "base64"] },
        content: text,
      }),
    ),
  }),
  PutSkill: object({
    name: text,
    description: text,
    digest,
    layer: { const: "runtime" },
    scripts: list(map),
    diagnostics: list(map),
  }),
  Token: object({ id: text, tenant: text, scopes: list(text), channel: text, created_at: text, expires_at: maybeText }),
  NewToken: { allOf: [ref("Token"), object({ token: text })] },
  TokenList: object({ tokens: list(ref("Token")) }),
  Health: object({ status: { const: "ok" }, bundle_formats: list({ type: "integer" }) }),
  Upload: object({ upload: maybeText, expires_at: maybeText, send: list(digest) }),
  Block: object({ digest, reason: text, at: text, by: text, with: digest }, ["with"]),
  BlockList: object({ seq: { type: "integer" }, blocks: list(ref("Block")) }),
  BlocksChanged: object({ blocks: list(ref("Block")), next: maybeText }),
  BlocksSpread: object({ next: maybeText }),
  Taken: object({ taken: { type: "integer" } }),
  ChannelList: object({ channels: list(object({ layer: text, channel: text })) }),
  Channel: object({ layer: text, channel: text, version: maybeText, bundle: maybeText, history: list(map) }),
  Moved: object({ layer: text, channel: text, bundle: digest, previous: maybeText, version: text }),
  SecretList: object({ secrets: list(object({ name: text, tenant: text, put_at: text })) }),
  Approval: object({
    id: text,
    status: { enum: ["pending", "approved", "denied", "used", "expired"] },
    tool: text,
    skill: object({ name: text, digest }),
    item: maybeText,
    arguments: {},
    input: {
      type: ["object", "null"],
      properties: {
        stdin: text,
        stdin_bytes: { type: "integer" },
        files: list(object({ path: text, size: { type: "integer" } })),
        file_count: { type: "integer" },
        limits: map,
      },
    },
    network: list(text),
    actor: maybeText,
    session: maybeText,
    asked_by: text,
    askers: list(text),
    created_at: text,
    expires_at: text,
    decided_by: maybeText,
    decided_at: maybeText,
  }),
  ApprovalList: object({ approvals: list(ref("Approval")) }),
  RunExtras: {
    stdin: text,
    files: list(object({ path: text, encoding: { enum: ["utf-8", "base64"] }, content: text }, ["encoding"])),
    limits: object({ timeout_ms: { type: "integer" }, output_bytes: { type: "integer" } }, [
      "timeout_ms",
      "output_bytes",
    ]),
    approval_id: text,
  },
} as const;

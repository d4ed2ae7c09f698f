/** Owns what the OpenAPI document says of uploads and deploys. */
import { moveSchema } from "./deploy-routes.ts";
import { json, NONE, type Operation, query, ref, requestSchema, TENANT, text } from "./openapi-parts.ts";
import { newUploadSchema } from "./upload-routes.ts";

/** By `METHOD path`, as route-table.ts has it. */
export const DEPLOYING_OPERATIONS: Readonly<Record<string, Operation>> = {
  "POST /v1/uploads": {
    summary: "Begins sending a bundle: answers which blobs the tenant has to send",
    scope: "deploy",
    parameters: [TENANT],
    body: requestSchema(newUploadSchema),
    answer: json(ref("Upload")),
    status: 201,
  },
  "DELETE /v1/uploads/:id": {
    summary: "Gives an upload up",
    scope: "deploy",
    parameters: [TENANT],
    answer: NONE,
    status: 204,
  },
  "POST /v1/uploads/:id/blobs": {
    summary:
      "Takes several blobs: for each a line `blob <digest> <size>` (`record` for a skill's record) and its bytes",
    scope: "deploy",
    parameters: [TENANT],
    bytes: true,
    answer: json(ref("Taken")),
  },
  "PUT /v1/uploads/:id/blobs/:digest": {
    summary: "Takes one blob",
    scope: "deploy",
    parameters: [TENANT],
    bytes: true,
    answer: json(ref("Taken")),
  },
  "GET /v1/deploys": {
    summary: "The channels of the tenant's layer, or with `channel` one with its history",
    scope: "deploy",
    parameters: [query("channel", text, "Which channel"), TENANT],
    answer: json({ oneOf: [ref("ChannelList"), ref("Channel")] }),
  },
  "POST /v1/deploys": {
    summary: "Moves a channel to a bundle that was sent, or to one in its history",
    scope: "deploy",
    parameters: [TENANT],
    body: requestSchema(moveSchema),
    answer: json(ref("Moved")),
  },
  "GET /v1/deploys/:bundle": {
    summary: "The index of a bundle in the history",
    scope: "deploy",
    parameters: [TENANT],
    answer: json({ type: "object" }),
  },
  "GET /v1/deploys/:bundle/records/:record": {
    summary: "A skill's record in such a bundle",
    scope: "deploy",
    parameters: [TENANT],
    answer: json({ type: "object" }),
  },
};

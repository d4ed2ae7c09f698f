/** Owns what the OpenAPI document says of what only the platform's operator does: tenants and recalling. */
import { newBlockSchema, spreadSchema } from "./block-routes.ts";
import { json, NONE, type Operation, ref, requestSchema } from "./openapi-parts.ts";
import { newTenantSchema } from "./tenant-routes.ts";

/** By `METHOD path`, as route-table.ts has it. */
export const OPERATOR_OPERATIONS: Readonly<Record<string, Operation>> = {
  "GET /v1/tenants": { summary: "The tenants, for the platform's operator", scope: "admin", answer: json(NONE) },
  "POST /v1/tenants": {
    summary: "Makes a tenant by name, for the platform's operator",
    scope: "admin",
    body: requestSchema(newTenantSchema),
    status: 201,
    answer: json(NONE),
  },
  "DELETE /v1/tenants/:name": { summary: "Removes all of a tenant", scope: "admin", answer: json(NONE) },
  "POST /v1/tenants/:name/suspend": { summary: "Lets nobody of a tenant in", scope: "admin", answer: json(NONE) },
  "POST /v1/tenants/:name/resume": { summary: "Lets a tenant in again", scope: "admin", answer: json(NONE) },
  "GET /v1/blocks": {
    summary: "What is recalled, for the platform's operator",
    scope: "admin",
    answer: json(ref("BlockList")),
  },
  "POST /v1/blocks": {
    summary: "Recalls a bundle, skill or file, for the platform's operator",
    scope: "admin",
    body: requestSchema(newBlockSchema),
    answer: json(ref("BlocksChanged")),
  },
  "DELETE /v1/blocks/:digest": {
    summary: "Lifts what was recalled, and what was along with it",
    scope: "admin",
    answer: json(ref("BlocksChanged")),
  },
  "POST /v1/blocks/spread": {
    summary: "Goes on where an answer has `next`: brings the list to more channels",
    scope: "admin",
    body: requestSchema(spreadSchema),
    answer: json(ref("BlocksSpread")),
  },
};

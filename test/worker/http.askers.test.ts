import { runInDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import type { Scope } from "../../src/model/token.ts";
import { MAX_ASKERS } from "../../src/tenancy/approval-table.ts";
import { PrivateEdge } from "./support/private-edge.ts";
import { problem, problemOf } from "./support/problem.ts";

const RUN = JSON.stringify({ skill_name: "sums", script_name: "scripts/count.py", arguments: {} });

const OWN = problem(
  403,
  "approval-own",
  "Token cannot decide what it asked for",
  "Cannot decide: a token that asked never decides, nor any that came of it, before it or beside it. Use one that was issued apart from it",
);

interface Made {
  readonly id: string;
  readonly token: string;
}

let scenes = 0;

/** A tenant whose scripts need a person, and what its tokens do: ask, decide, make tokens. */
async function scene() {
  const edge = new PrivateEdge(`askers-${scenes++}`, { approval: { run_skill_script: "ask" } });
  const script = "scripts/count.py";
  const files = [{ path: script, content: "print(1)\n" }];
  await edge.deploy("platform", [{ name: "sums", body: `Scene ${scenes}.\n`, files, scripts: [script] }]);
  const post = (token: string, path: string, body: string) => edge.ask(token, path, { method: "POST", body });
  const call = async ({ token }: Made): Promise<{ approval?: { id: string }; error?: { code: string } }> =>
    (await post(token, "/v1/tools/run_skill_script", RUN)).json();
  const ask = async (by: Made): Promise<string> => {
    const id = (await call(by)).approval?.id;
    expect(id).toBeTypeOf("string");
    return id ?? "";
  };
  const decide = ({ token }: Made, id: string, decision = "approve") =>
    post(token, `/v1/approvals/${id}`, JSON.stringify({ decision }));
  const mint = async ({ token }: Made, scopes: readonly Scope[] = ["admin"], query = ""): Promise<Made> =>
    (await post(token, `/v1/tokens${query}`, JSON.stringify({ scopes }))).json();
  return { edge, call, ask, decide, mint };
}

describe("the tokens that asked", () => {
  it("are all refused as deciders, and all may see what became of it", async () => {
    const { edge, ask, decide } = await scene();
    const first = await edge.token("acme", ["run", "approve"]);
    const second = await edge.token("acme", ["run", "approve"]);
    const weak = await edge.token("acme", ["read", "run"]);
    const ids = [await ask(first), await ask(second), await ask(second), await ask(weak)];
    const id = ids[0] ?? "";
    expect(new Set(ids)).toEqual(new Set([id]));
    expect(await problemOf(await decide(first, id))).toEqual(OWN);
    expect(await problemOf(await decide(second, id))).toEqual(OWN);
    expect(await problemOf(await decide(second, id, "deny"))).toEqual(OWN);
    const seen: object = await (await edge.ask(weak.token, `/v1/approvals/${id}`)).json();
    expect(seen).toMatchObject({ status: "pending", asked_by: first.id, askers: [first.id, second.id, weak.id] });
    expect((await decide(await edge.token("acme", ["approve"]), id)).status).toBe(200);
  });

  it("are never so many that one is not written down", async () => {
    const { edge, call, ask, decide } = await scene();
    const id = await ask(await edge.token("acme", ["run"]));
    for (let i = 1; i < MAX_ASKERS; i++) {
      expect(await ask(await edge.token("acme", ["run"]))).toBe(id);
    }
    const more = await edge.token("acme", ["run", "approve"]);
    expect((await call(more)).error).toMatchObject({ code: "approvals-full" });
    expect((await decide(more, id)).status).toBe(200);
  });

  it("include the one of a question that an earlier version wrote down", async () => {
    const { edge, ask, decide } = await scene();
    const asker = await edge.token("acme", ["run", "approve"]);
    const id = await ask(asker);
    await runInDurableObject(edge.tenant("acme"), (_, { storage }) => {
      storage.sql.exec("UPDATE approvals SET request = json_remove(request, '$.askers')");
    });
    expect(await problemOf(await decide(asker, id))).toEqual(OWN);
  });
});

describe("tokens of one hand", () => {
  it("do not decide for each other: neither the maker, nor what it made beside the asker, nor what that made", async () => {
    const { edge, ask, decide, mint } = await scene();
    const admin = await edge.token("acme", ["admin"]);
    const id = await ask(await mint(admin, ["run"]));
    const beside = await mint(admin);
    const cousin = await mint(beside, ["approve"]);
    await edge.tenant("acme").revokeToken(beside.id);
    for (const token of [admin, await mint(admin, ["approve"]), cousin]) {
      expect(await problemOf(await decide(token, id))).toEqual(OWN);
    }
    expect((await decide(await edge.token("acme", ["approve"]), id)).status).toBe(200);
  });

  it("are not those that the platform's operator makes for a tenant, but all that one of these makes, and not the operator's own", async () => {
    const { edge, ask, decide, mint } = await scene();
    const operator = await edge.token("platform", ["admin"]);
    const asker = await mint(operator, ["run", "admin"], "?tenant=acme");
    const id = await ask(asker);
    const decideFrom = (by: Made) =>
      edge.ask(by.token, `/v1/approvals/${id}?tenant=acme`, { method: "POST", body: '{"decision":"approve"}' });
    expect(await problemOf(await decideFrom(operator))).toEqual(OWN);
    expect(await problemOf(await decide(await mint(asker, ["approve"]), id))).toEqual(OWN);
    expect((await decide(await mint(operator, ["approve"], "?tenant=acme"), id)).status).toBe(200);
  });

  it("are those that another platform token made over HTTP makes for a tenant, and the token itself", async () => {
    const { edge, ask, decide, mint } = await scene();
    const made = await mint(await edge.token("platform", ["admin"]));
    const id = await ask(await mint(made, ["run"], "?tenant=acme"));
    const own = await edge.ask(made.token, `/v1/approvals/${id}?tenant=acme`, {
      method: "POST",
      body: '{"decision":"approve"}',
    });
    expect(await problemOf(own)).toEqual(OWN);
    expect(await problemOf(await decide(await mint(made, ["approve"], "?tenant=acme"), id))).toEqual(OWN);
  });

  it("are found by who made whom where an earlier version made them", async () => {
    const { edge, ask, decide, mint } = await scene();
    const admin = await edge.token("acme", ["admin"]);
    const [asker, beside] = [await mint(admin, ["run"]), await mint(admin, ["approve"])];
    await runInDurableObject(edge.tenant("acme"), (_, { storage }) => {
      storage.sql.exec("ALTER TABLE tokens DROP COLUMN family");
    });
    const id = await ask(asker);
    expect(await problemOf(await decide(beside, id))).toEqual(OWN);
  });
});

describe("a token that a token made", () => {
  it("counts as the one that made it, however far up, whenever it was made", async () => {
    const { edge, ask, decide, mint } = await scene();
    const asker = await edge.token("acme", ["admin"]);
    const before = await mint(asker, ["approve"]);
    const id = await ask(asker);
    const child = await mint(asker);
    const grandchild = await mint(child, ["approve"]);
    for (const token of [before, child, grandchild]) {
      expect(await problemOf(await decide(token, id))).toEqual(OWN);
    }
    expect((await decide(await mint(await edge.token("acme", ["admin"])), id)).status).toBe(200);
  });

  it("still does when one between, or the asker, was revoked", async () => {
    const { edge, ask, decide, mint } = await scene();
    const asker = await mint(await edge.token("acme", ["admin"]));
    const id = await ask(asker);
    const child = await mint(asker);
    const grandchild = await mint(child);
    const last = await mint(grandchild, ["approve"]);
    for (const gone of [grandchild, child, asker]) {
      expect((await edge.ask(last.token, "/v1/approvals")).status).toBe(200);
      expect(await edge.tenant("acme").revokeToken(gone.id)).toBe(true);
      expect(await problemOf(await decide(last, id))).toEqual(OWN);
    }
  });

  it("is kept with who made it, and one of the command line with nobody", async () => {
    const { edge, mint } = await scene();
    const admin = await edge.token("acme", ["admin"]);
    const { id } = await mint(admin);
    const kept = await runInDurableObject(edge.tenant("acme"), (tenant) =>
      tenant.listTokens().map((token) => [token.id, token.minted_by]),
    );
    expect(Object.fromEntries(kept)).toEqual({ [admin.id]: undefined, [id]: admin.id });
  });

  it("is kept in a table that an earlier version made", async () => {
    const { edge, mint } = await scene();
    const admin = await edge.token("acme", ["admin"]);
    await runInDurableObject(edge.tenant("acme"), (_, { storage }) => {
      storage.sql.exec("ALTER TABLE tokens DROP COLUMN minted_by");
    });
    const { id } = await mint(admin);
    expect(await edge.tenant("acme").listTokens()).toContainEqual(expect.objectContaining({ id, minted_by: admin.id }));
  });
});

it("/v1/approvals tells no digest that is for finding approvals only", async () => {
  const { edge, ask, decide } = await scene();
  const decider = await edge.token("acme", ["approve", "read"]);
  const id = await ask(await edge.token("acme", ["run"]));
  const { approvals }: { approvals: object[] } = await (await edge.ask(decider.token, "/v1/approvals")).json();
  const one: object = await (await edge.ask(decider.token, `/v1/approvals/${id}`)).json();
  const decided: object = await (await decide(decider, id)).json();
  for (const told of [...approvals, one, decided]) {
    expect(told).toMatchObject({ id });
    expect(Object.keys(told).filter((key) => ["binding", "standing", "answer"].includes(key))).toEqual([]);
  }
  expect(approvals).toHaveLength(1);
});

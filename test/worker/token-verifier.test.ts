import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { type Grant, newToken } from "../../src/model/token.ts";
import { TokenVerifier } from "../../src/tenancy/token-verifier.ts";
import { codeOf, failureOf } from "../helpers/error-code.ts";
import { createToken, tenantObject } from "./support/edge.ts";

/** How long an answer may be remembered: the bound that docs and CONTRACT.md give is 10 s, this isolate's is half of it. */
const REMEMBERED_MS = 5_000;

function verifierAt(clock: { now: number }, tenants = env.TENANTS): TokenVerifier {
  return new TokenVerifier(tenants, () => clock.now);
}

describe("TokenVerifier.verify()", () => {
  it("gives what the token grants", async () => {
    const token = await createToken("granted", ["read", "approve"], "preview");
    const [record] = await tenantObject("granted").listTokens();
    const grant: Grant = {
      token: record?.id ?? "",
      tenant: "granted",
      scopes: ["read", "approve"],
      channel: "preview",
    };
    expect(await verifierAt({ now: 0 }).verify(token)).toEqual(grant);
  });

  it("throws token-invalid in the same words whatever is wrong", async () => {
    const good = await createToken("strict");
    const wrong = [
      newToken("strict"),
      newToken("made-up"),
      good.replace("strict", "other"),
      `${good}a`,
      "nonsense",
      "",
    ];
    const failures = await Promise.all(wrong.map((token) => failureOf(() => verifierAt({ now: 0 }).verify(token))));
    expect(new Set(failures.map(({ code, message }) => `${code}: ${message}`))).toEqual(
      new Set(["token-invalid: Cannot accept the token: it is not valid"]),
    );
  });

  it("stops taking a revoked token once the time it is remembered is over", async () => {
    const clock = { now: 1_000_000 };
    const verifier = verifierAt(clock);
    const token = await createToken("revoked");
    const { token: id } = await verifier.verify(token);
    await tenantObject("revoked").revokeToken(id);

    clock.now += REMEMBERED_MS - 1;
    expect((await verifier.verify(token)).token).toBe(id);
    clock.now += 1;
    expect(await codeOf(() => verifier.verify(token))).toBe("token-invalid");
  });

  it("takes a token that was made after it was refused, once that time is over", async () => {
    const clock = { now: 0 };
    const verifier = verifierAt(clock);
    const token = await createToken("late");
    const [record] = await tenantObject("late").listTokens();
    await tenantObject("late").revokeToken(record?.id ?? "");
    expect(await codeOf(() => verifier.verify(token))).toBe("token-invalid");
    if (record) {
      await tenantObject("late").addToken(record);
    }
    expect(await codeOf(() => verifier.verify(token))).toBe("token-invalid");
    clock.now += REMEMBERED_MS;
    expect((await verifier.verify(token)).tenant).toBe("late");
  });

  it("asks nobody about what cannot be a token", async () => {
    const asked: string[] = [];
    const tenants = {
      idFromName: (name: string) => {
        asked.push(name);
        throw new Error("nobody is to be asked");
      },
    } as unknown as typeof env.TENANTS;
    const codes = ["x", "es_a_b", `es_runtime_${"a".repeat(43)}`].map((t) =>
      codeOf(() => verifierAt({ now: 0 }, tenants).verify(t)),
    );
    expect([await Promise.all(codes), asked]).toEqual([["token-invalid", "token-invalid", "token-invalid"], []]);
  });

  it("throws storage-unavailable when the tenant cannot be asked, and remembers nothing of it", async () => {
    const token = await createToken("unlucky");
    let fails = true;
    const tenants = {
      idFromName: (name: string) => env.TENANTS.idFromName(name),
      get: (id: DurableObjectId) => {
        if (fails) {
          throw new Error("the object is overloaded");
        }
        return env.TENANTS.get(id);
      },
    } as unknown as typeof env.TENANTS;
    const verifier = verifierAt({ now: 0 }, tenants);
    expect(await codeOf(() => verifier.verify(token))).toBe("storage-unavailable");
    fails = false;
    expect((await verifier.verify(token)).tenant).toBe("unlucky");
  });

  it("never lets a slower look-up that began earlier overwrite a newer one", async () => {
    const pending: PromiseWithResolvers<object | null>[] = [];
    const enter = () => {
      const answer = Promise.withResolvers<object | null>();
      pending.push(answer);
      return answer.promise;
    };
    const tenants = { idFromName: () => "id", get: () => ({ enter }) } as unknown as typeof env.TENANTS;
    const clock = { now: 0 };
    const verifier = verifierAt(clock, tenants);
    const token = newToken("racer");
    const [dispose, record] = [() => undefined, { id: "t", scopes: ["read"], channel: "live" }];

    const slow = verifier.verify(token);
    await expect.poll(() => pending.length).toBe(1);
    clock.now += 1;
    const quick = codeOf(() => verifier.verify(token));
    await expect.poll(() => pending.length).toBe(2);
    pending[1]?.resolve({ token: null, suspended: false, runtime: null, [Symbol.dispose]: dispose });
    expect(await quick).toBe("token-invalid");
    pending[0]?.resolve({
      token: record,
      suspended: false,
      runtime: null,
      [Symbol.dispose]: dispose,
    });
    await slow;

    expect(await codeOf(() => verifier.verify(token))).toBe("token-invalid");
    expect(pending).toHaveLength(2);
  });
});

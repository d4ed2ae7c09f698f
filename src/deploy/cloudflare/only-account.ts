/** Owns finding the account of somebody who has only one. Never chooses among several. */
import * as z from "zod/mini";
import { SkillsError } from "../../model/errors.ts";
import { type Patience, sendPatiently } from "./patience.ts";

const accountsSchema = z.object({ result: z.array(z.object({ id: z.string(), name: z.string() })) });

/** The id of the only account that a token reaches. Throws `credentials-invalid` for none, and for several, naming them. */
export async function onlyAccount(apiToken: string, baseUrl: string, patience: Patience): Promise<string> {
  const send = (signal: AbortSignal) =>
    fetch(`${baseUrl}/accounts`, { headers: { Authorization: `Bearer ${apiToken}` }, signal });
  const { body } = await sendPatiently("ask Cloudflare for the account", send, patience);
  const accounts = accountsIn(body);
  const [only] = accounts;
  if (only !== undefined && accounts.length === 1) {
    return only.id;
  }
  const several = accounts.map(({ id, name }) => `${id} (${name})`).join(", ");
  throw new SkillsError(
    "credentials-invalid",
    only === undefined
      ? "Cloudflare tells of no account for this login"
      : `This login has several accounts: ${several}`,
    { hint: 'export CLOUDFLARE_ACCOUNT_ID=…, or say "account_id" in the target\'s settings' },
  );
}

function accountsIn(body: Uint8Array): z.infer<typeof accountsSchema>["result"] {
  try {
    return accountsSchema.parse(JSON.parse(new TextDecoder().decode(body))).result;
  } catch {
    return [];
  }
}

/** Owns the calls to the secrets of a deployed Worker over Cloudflare's REST API, through the official client. A secret can be put and not read. */
import { BaseSecrets } from "cloudflare/resources/workers/scripts/secrets";
import { type ApiAccess, type ApiPart, apiClient, called } from "./api-client.ts";

/** Which Worker, and as whom. */
export interface WorkerAccess extends ApiAccess {
  readonly worker: string;
}

/** The secrets of one Worker. Each change is a new version of it, deployed at once. */
export class WorkerSecrets {
  readonly #place: { readonly account_id: string; readonly script_name: string };
  readonly #part: ApiPart;
  readonly #secrets: BaseSecrets;

  constructor(access: WorkerAccess) {
    const { accountId: account_id, worker } = access;
    this.#place = { account_id, script_name: worker };
    this.#part = {
      name: "Workers",
      permission: "Workers Scripts",
      missing: (told) => ({
        message: `There is no Worker "${worker}" in this account: ${told}`,
        hint: 'deploy it first, with `npm run deploy`; another name goes into the target\'s settings as "worker"',
      }),
    };
    this.#secrets = new BaseSecrets(apiClient(access, this.#part));
  }

  /** Puts a secret in place of the one of its name. */
  async put(name: string, text: string): Promise<void> {
    const { account_id, script_name } = this.#place;
    await called(this.#part, () => this.#secrets.update(script_name, { account_id, name, text, type: "secret_text" }));
  }

  /** Removes a secret; tells whether there was one. */
  async remove(name: string): Promise<boolean> {
    return called(this.#part, async () => {
      const { account_id, script_name } = this.#place;
      for await (const secret of this.#secrets.list(script_name, { account_id })) {
        if (secret.name === name) {
          await this.#secrets.delete(name, this.#place);
          return true;
        }
      }
      return false;
    });
  }
}

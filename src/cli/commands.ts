/** Owns the list of commands, in the order in which help shows them. */
import type { CommandSpec } from "./command.ts";
import { block } from "./commands/block.ts";
import { check } from "./commands/check.ts";
import { completionOf } from "./commands/completion.ts";
import { deploy } from "./commands/deploy.ts";
import { dev } from "./commands/dev.ts";
import { diff } from "./commands/diff.ts";
import { exportSkill } from "./commands/export.ts";
import { functionServe } from "./commands/function.ts";
import { history, status } from "./commands/history.ts";
import { importSkills } from "./commands/import.ts";
import { init } from "./commands/init.ts";
import { list, show } from "./commands/list.ts";
import { pack } from "./commands/pack.ts";
import { packagesBuild, packagesLock } from "./commands/packages.ts";
import { promote } from "./commands/promote.ts";
import { prune } from "./commands/prune.ts";
import { purge } from "./commands/purge.ts";
import { rollback } from "./commands/rollback.ts";
import { run } from "./commands/run.ts";
import { secretList, secretPut, secretRemove } from "./commands/secret.ts";
import { tenantCreate, tenantDelete, tenantList, tenantResume, tenantSuspend } from "./commands/tenant.ts";
import { tenantExport } from "./commands/tenant-export.ts";
import { tokenCreate, tokenList, tokenRevoke } from "./commands/token.ts";

export const COMMANDS: readonly CommandSpec[] = [
  init,
  check,
  pack,
  list,
  show,
  importSkills,
  exportSkill,
  run,
  dev,
  deploy,
  status,
  history,
  promote,
  rollback,
  diff,
  prune,
  block,
  purge,
  tenantCreate,
  tenantList,
  tenantSuspend,
  tenantResume,
  tenantExport,
  tenantDelete,
  tokenCreate,
  tokenList,
  tokenRevoke,
  secretPut,
  secretList,
  secretRemove,
  packagesBuild,
  packagesLock,
  functionServe,
  completionOf(() => COMMANDS),
];

/** What help says of commands that only hold others. */
export const GROUPS: Readonly<Record<string, string>> = {
  tenant: "make, list, suspend, resume, export and delete tenants",
  token: "make, list and revoke access tokens",
  secret: "keep secrets for network rules",
  packages: "make and lock the Python packages of scripts",
  function: "run scripts elsewhere",
};

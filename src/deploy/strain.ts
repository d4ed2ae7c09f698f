/** Owns how much slower than usual a busy machine is; never what is done about it. */
import { availableParallelism, loadavg } from "node:os";

const MOST = 4;

/** How many times longer than on an idle machine something may take: 1 while there are processors enough. Always 1 on Windows. */
export function strain(): number {
  const [load = 0] = loadavg();
  return Math.min(MOST, Math.max(1, load / availableParallelism()));
}

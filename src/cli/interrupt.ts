/** Owns what happens when a process is asked to end while a command works: it stops where it is, cleans up, and says so by its exit status. */

const STATUS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

/** The signals that ask a process to end: its terminal was closed, Ctrl-C, and everything else. */
export type Interrupt = keyof typeof STATUS;

export const INTERRUPTS = Object.keys(STATUS) as Interrupt[];

/** Why a command stopped in the middle. */
export class Interrupted extends Error {
  /** What shells answer for a process that ended by this signal. */
  readonly status: number;

  constructor(signal: Interrupt) {
    super("interrupted");
    this.name = "Interrupted";
    this.status = STATUS[signal];
  }
}

/** What some work gives, or the signal's reason as soon as it aborts; the work is then left alone. */
export async function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) {
    onAbort();
  }
  try {
    return await Promise.race([aborted, work]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

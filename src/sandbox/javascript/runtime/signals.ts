/** Owns the signals that a script can send itself: their numbers, and what each does to it; never how it is ended. */

/** Numbers of Linux. */
export const SIGNALS: Readonly<Record<string, number>> = {
  ...Object.fromEntries(
    (
      "HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM STKFLT CHLD CONT STOP TSTP TTIN TTOU URG " +
      "XCPU XFSZ VTALRM PROF WINCH IO PWR SYS"
    )
      .split(" ")
      .map((name, i) => [`SIG${name}`, i + 1]),
  ),
  SIGIOT: 6,
  SIGPOLL: 29,
};

const IGNORED = new Set(["SIGPIPE", "SIGCHLD", "SIGCONT", "SIGURG", "SIGWINCH", "SIGUSR1", "SIGXFSZ"]);

/** Whether a process that does not listen for it goes on. */
export function isIgnored(name: string): boolean {
  return IGNORED.has(name);
}

/**
 * Name and number of a signal; its name is undefined where there is none, as for 0.
 * @throws as Node.js for what is no signal
 */
export function signalOf(signal: string | number): { readonly name: string | undefined; readonly number: number } {
  if (typeof signal === "number") {
    return { name: Object.keys(SIGNALS).find((name) => SIGNALS[name] === signal), number: signal };
  }
  const number = SIGNALS[signal];
  if (number === undefined) {
    throw Object.assign(new TypeError(`Unknown signal: ${signal}`), { code: "ERR_UNKNOWN_SIGNAL" });
  }
  return { name: signal, number };
}

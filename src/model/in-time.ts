/** Owns waiting no longer than some time for what may never come. */

/** What is awaited, or the error that `late` makes once `ms` milliseconds have passed. What comes later is nobody's. */
export async function inTime<T>(
  awaited: T | Promise<T>,
  ms: number,
  late: () => Error = () => new Error(`no answer within ${ms} ms`),
): Promise<T> {
  const { promise: end, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(late()), ms);
  try {
    return await Promise.race([awaited, end]);
  } finally {
    clearTimeout(timer);
  }
}

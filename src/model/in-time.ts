/** Owns waiting no longer than some time for what may never come. */

/** What is awaited, or an error once `ms` milliseconds have passed. What comes later is nobody's. */
export async function inTime<T>(awaited: Promise<T>, ms: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([awaited, late]);
  } finally {
    clearTimeout(timer);
  }
}

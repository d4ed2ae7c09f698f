/** Owns doing one thing for many items with some under way at a time. Never retries. */

/** Applies a function to all items, at most `limit` at a time; results in order. The first failure ends it. */
export async function mapLimited<T, R>(
  limit: number,
  items: readonly T[],
  apply: (item: T) => Promise<R>,
): Promise<R[]> {
  const results = new Array<R>(items.length);
  const queue = items.entries();
  let hasFailed = false;
  const work = async (): Promise<void> => {
    for (const [i, item] of queue) {
      if (hasFailed) {
        return;
      }
      try {
        results[i] = await apply(item);
      } catch (error) {
        hasFailed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, work));
  return results;
}

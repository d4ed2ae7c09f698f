/** Owns working on a few things at a time. Never knows what the work is. */

/** How many skills are compiled and written at once. */
const CONCURRENCY = 8;

/** Maps with a few at a time under way, begun in order; results keep their order. */
export async function mapSome<Item, Result>(
  items: readonly Item[],
  map: (item: Item, at: number) => Promise<Result>,
): Promise<Result[]> {
  const results = new Array<Result>(items.length);
  const left = items.entries();
  const work = async () => {
    for (const [at, item] of left) {
      results[at] = await map(item, at);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  return results;
}

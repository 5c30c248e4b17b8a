// Several things at once.

/** Does a task for each item, so many at once; gives the results in order. */
export async function inLanes(count, items, task) {
  const results = [];
  const left = [...items].map((item, at) => ({ item, at }));
  const lane = async () => {
    for (let next = left.shift(); next; next = left.shift()) results[next.at] = await task(next.item);
  };
  await Promise.all(Array.from({ length: count }, lane));
  return results;
}

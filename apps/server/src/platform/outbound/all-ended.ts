/** Waits until all have ended, and then throws what the first of them failed with, if any did. */
export async function allEnded(works: Iterable<Promise<unknown>>): Promise<void> {
  for (const each of await Promise.allSettled(works)) if (each.status === "rejected") throw each.reason;
}

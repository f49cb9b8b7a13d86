/** Waits until all have ended, and then throws the first failure, if there was one. */
export async function allEnded(works: Iterable<Promise<unknown>>): Promise<void> {
  for (const each of await Promise.allSettled(works)) if (each.status === "rejected") throw each.reason;
}

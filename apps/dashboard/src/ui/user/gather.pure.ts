type Waiting<Found> = { resolve: (found: Found | null) => void; reject: (error: unknown) => void };

/**
 * Answers single questions by requests for many: ids that are asked about before `later` calls back go together, at most `most` in one
 * request, each once. What `readMany` does not have is null; where it fails, all of its ids fail.
 */
export function gatherer<Found>(
  readMany: (ids: readonly string[]) => Promise<ReadonlyMap<string, Found>>,
  { most, later }: { most: number; later: (then: () => void) => void },
): (id: string) => Promise<Found | null> {
  let waiting = new Map<string, Waiting<Found>[]>();
  const readNow = async (all: typeof waiting, ids: readonly string[]): Promise<void> => {
    const askers = (id: string): readonly Waiting<Found>[] => all.get(id) ?? [];
    try {
      const found = await readMany(ids);
      for (const id of ids) for (const { resolve } of askers(id)) resolve(found.get(id) ?? null);
    } catch (error) {
      for (const id of ids) for (const { reject } of askers(id)) reject(error);
    }
  };
  const readAll = (): void => {
    const all = waiting;
    waiting = new Map();
    const ids = [...all.keys()];
    for (let at = 0; at < ids.length; at += most) void readNow(all, ids.slice(at, at + most));
  };
  return (id) =>
    new Promise((resolve, reject) => {
      if (waiting.size === 0) later(readAll);
      waiting.set(id, [...(waiting.get(id) ?? []), { resolve, reject }]);
    });
}

/** `brief`: the caller gives up after a while. `patient`: only when it is stopped. */
export type Patience = "brief" | "patient";

/** Limits how many expensive requests run at once, in all and of each project. */
export type Bulkhead = {
  /**
   * Waits for a place, in order of arrival. Answers the function that frees it; null if the wait was too long, too many wait, or
   * `signal` was aborted. A `patient` caller waits as long as it takes.
   */
  enter(projectId: string, signal: AbortSignal, patience?: Patience): Promise<(() => void) | null>;
  /** How many wait. */
  readonly waiting: number;
};

export type BulkheadOptions = {
  total: number;
  perProject: number;
  /** Milliseconds. */
  waitMs: number;
  mostWaitingPerProject: number;
  /** Of all together; as many as there are where it is left out. */
  mostWaiting?: number;
};

type Waiting = { projectId: string; admit: () => void };

export function createBulkhead({
  total,
  perProject,
  waitMs,
  mostWaitingPerProject,
  mostWaiting = Number.POSITIVE_INFINITY,
}: BulkheadOptions): Bulkhead {
  const inside = new Map<string, number>();
  const waiting = new Set<Waiting>();
  let all = 0;

  const isRoom = (projectId: string): boolean => all < total && (inside.get(projectId) ?? 0) < perProject;

  function admit(projectId: string): () => void {
    all++;
    inside.set(projectId, (inside.get(projectId) ?? 0) + 1);
    let isInside = true;
    return () => {
      if (!isInside) return;
      isInside = false;
      all--;
      const left = (inside.get(projectId) ?? 1) - 1;
      if (left === 0) inside.delete(projectId);
      else inside.set(projectId, left);
      // Admits the request that has waited longest among those whose project has room.
      for (const each of waiting) {
        if (!isRoom(each.projectId)) continue;
        each.admit();
        return;
      }
    };
  }

  const countWaiting = (projectId: string): number =>
    [...waiting].filter((each) => each.projectId === projectId).length;

  return {
    async enter(projectId, signal, patience = "brief") {
      if (signal.aborted) return null;
      if (isRoom(projectId)) return admit(projectId);
      const isFull = waiting.size >= mostWaiting || countWaiting(projectId) >= mostWaitingPerProject;
      if (isFull && patience === "brief") return null;
      return new Promise((resolve) => {
        const done = (leave: (() => void) | null): void => {
          clearTimeout(tooLate);
          signal.removeEventListener("abort", giveUp);
          waiting.delete(entry);
          resolve(leave);
        };
        const giveUp = (): void => done(null);
        const entry = { projectId, admit: () => done(admit(projectId)) };
        const tooLate = patience === "brief" ? setTimeout(giveUp, waitMs) : undefined;
        signal.addEventListener("abort", giveUp);
        waiting.add(entry);
      });
    },
    get waiting() {
      return waiting.size;
    },
  };
}

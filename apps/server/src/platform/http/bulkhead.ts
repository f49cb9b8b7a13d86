/** Lets in what is expensive, so much at once in all and of each project. */
export type Bulkhead = {
  /** Waits for its turn, in order of arrival. Answers how to leave, or null: it waited too long, too many wait, or `signal` was aborted. */
  enter(projectId: string, signal: AbortSignal): Promise<(() => void) | null>;
  /** How many wait. */
  readonly waiting: number;
};

export type BulkheadOptions = {
  total: number;
  perProject: number;
  /** Milliseconds. */
  waitMs: number;
  mostWaitingPerProject: number;
};

type Waiting = { projectId: string; letIn: () => void };

export function createBulkhead({
  total,
  perProject,
  waitMs,
  mostWaitingPerProject,
}: BulkheadOptions): Bulkhead {
  const inside = new Map<string, number>();
  const waiting = new Set<Waiting>();
  let all = 0;

  const isRoom = (projectId: string): boolean => all < total && (inside.get(projectId) ?? 0) < perProject;

  function letIn(projectId: string): () => void {
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
      // Whoever has waited longest and whose project has room.
      for (const each of waiting) {
        if (!isRoom(each.projectId)) continue;
        each.letIn();
        return;
      }
    };
  }

  const countWaiting = (projectId: string): number =>
    [...waiting].filter((each) => each.projectId === projectId).length;

  return {
    async enter(projectId, signal) {
      if (signal.aborted) return null;
      if (isRoom(projectId)) return letIn(projectId);
      if (countWaiting(projectId) >= mostWaitingPerProject) return null;
      return new Promise((resolve) => {
        const done = (leave: (() => void) | null): void => {
          clearTimeout(tooLate);
          signal.removeEventListener("abort", giveUp);
          waiting.delete(entry);
          resolve(leave);
        };
        const giveUp = (): void => done(null);
        const entry = { projectId, letIn: () => done(letIn(projectId)) };
        const tooLate = setTimeout(giveUp, waitMs);
        signal.addEventListener("abort", giveUp);
        waiting.add(entry);
      });
    },
    get waiting() {
      return waiting.size;
    },
  };
}

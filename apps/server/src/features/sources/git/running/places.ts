/** Gives the place back. */
type Leave = () => void;

/**
 * Places for work of many owners: so many at once, and so many of one owner. Owners who wait have one after the other, so that none waits for
 * all that another one has to do.
 */
export class Places {
  readonly #most: { atOnce: number; ofOne: number };
  readonly #taken = new Map<string, number>();
  /** In the order in which owners get their next place. */
  readonly #waiting = new Map<string, Set<(leave: Leave) => void>>();
  #inAll = 0;

  constructor(most: { atOnce: number; ofOne: number }) {
    this.#most = most;
  }

  /** A place at once, or once there is one; null where the signal is aborted before that. */
  take(owner: string, signal?: AbortSignal): Leave | Promise<Leave | null> {
    if (this.#isFree(owner)) return this.#occupy(owner);
    return new Promise((resolve) => {
      const queue = this.#waiting.get(owner) ?? new Set();
      this.#waiting.set(owner, queue);
      const abort = (): void => {
        queue.delete(begin);
        if (queue.size === 0 && this.#waiting.get(owner) === queue) this.#waiting.delete(owner);
        resolve(null);
      };
      const begin = (leave: Leave): void => {
        signal?.removeEventListener("abort", abort);
        resolve(leave);
      };
      queue.add(begin);
      signal?.addEventListener("abort", abort, { once: true });
    });
  }

  #isFree(owner: string): boolean {
    return this.#inAll < this.#most.atOnce && (this.#taken.get(owner) ?? 0) < this.#most.ofOne;
  }

  #occupy(owner: string): Leave {
    this.#inAll++;
    this.#taken.set(owner, (this.#taken.get(owner) ?? 0) + 1);
    return () => {
      this.#inAll--;
      const left = (this.#taken.get(owner) ?? 0) - 1;
      if (left > 0) this.#taken.set(owner, left);
      else this.#taken.delete(owner);
      this.#next();
    };
  }

  #next(): void {
    for (const [owner, queue] of this.#waiting) {
      if (!this.#isFree(owner)) continue;
      const [begin] = queue;
      if (begin === undefined) continue;
      queue.delete(begin);
      // The owner who had a place now waits behind all others.
      this.#waiting.delete(owner);
      if (queue.size > 0) this.#waiting.set(owner, queue);
      begin(this.#occupy(owner));
      return;
    }
  }
}

/** Rows that are claimed in groups and worked one after the other: a group is claimed while the ones before are being worked. */
export class Claims<Row> {
  readonly #claim: () => Promise<readonly Row[] | null>;
  readonly #low: number;
  #ready: Row[] = [];
  #at = 0;
  #claiming: Promise<void> | null = null;
  #isDry = false;
  #failure: { cause: unknown } | null = null;

  /** @param claim answers rows, or null when there is nothing more to claim @param low when more are asked for */
  constructor(claim: () => Promise<readonly Row[] | null>, low: number) {
    this.#claim = claim;
    this.#low = low;
  }

  /** Never fails: who is at work on rows that there are need not know, and nobody may be waiting. */
  async #refill(): Promise<void> {
    try {
      const claimed = await this.#claim();
      if (claimed === null) {
        this.#isDry = true;
        return;
      }
      this.#ready = [...this.#ready.slice(this.#at), ...claimed];
      this.#at = 0;
    } catch (cause) {
      this.#failure = { cause };
      this.#isDry = true;
    } finally {
      this.#claiming = null;
    }
  }

  /** The next row, or null when there are no more. @throws what a claim failed with, once there are none */
  async take(): Promise<Row | null> {
    for (;;) {
      if (!this.#isDry && this.#claiming === null && this.#ready.length - this.#at < this.#low)
        this.#claiming = this.#refill();
      const next = this.#ready[this.#at];
      if (next !== undefined) {
        this.#at++;
        return next;
      }
      if (this.#claiming !== null) await this.#claiming;
      else if (this.#failure !== null) throw this.#failure.cause;
      else return null;
    }
  }

  /** Claims no more. What was claimed is still to be taken. */
  close(): void {
    this.#isDry = true;
  }

  /** Claims no more, and waits for a claim that is under way. */
  async end(): Promise<void> {
    this.close();
    await this.#claiming;
  }
}

/** Waits until all have ended, and then throws what the first of them failed with, if any did. */
export async function allEnded(works: Iterable<Promise<unknown>>): Promise<void> {
  for (const each of await Promise.allSettled(works)) if (each.status === "rejected") throw each.reason;
}

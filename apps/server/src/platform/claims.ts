/** Rows that are claimed in groups and worked one after the other: a group is claimed while the ones before are being worked. */
export class Claims<Row> {
  readonly #claim: () => Promise<readonly Row[] | null>;
  readonly #low: number;
  #ready: Row[] = [];
  #at = 0;
  #claiming: Promise<void> | null = null;
  #isDry = false;

  /** @param claim answers rows, or null when there is nothing more to claim @param low when more are asked for */
  constructor(claim: () => Promise<readonly Row[] | null>, low: number) {
    this.#claim = claim;
    this.#low = low;
  }

  async #refill(): Promise<void> {
    const claimed = await this.#claim();
    if (claimed === null) this.#isDry = true;
    else this.#ready = [...this.#ready.slice(this.#at), ...claimed];
    if (claimed !== null) this.#at = 0;
  }

  /** The next row, or null when there are no more. */
  async take(): Promise<Row | null> {
    for (;;) {
      if (!this.#isDry && this.#claiming === null && this.#ready.length - this.#at < this.#low) {
        this.#claiming = this.#refill().finally(() => {
          this.#claiming = null;
        });
      }
      const next = this.#ready[this.#at];
      if (next !== undefined) {
        this.#at++;
        return next;
      }
      if (this.#claiming === null) return null;
      await this.#claiming;
    }
  }

  /** Claims no more. What was claimed is still to be taken. */
  close(): void {
    this.#isDry = true;
  }
}

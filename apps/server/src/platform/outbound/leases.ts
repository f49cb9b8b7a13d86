/** Messages that are leased in groups and sent one after the other: the next group is leased while the ones before are being sent. */
export class Leases<Leased> {
  readonly #lease: () => Promise<readonly Leased[] | null>;
  readonly #low: number;
  #ready: Leased[] = [];
  #at = 0;
  #leasing: Promise<void> | null = null;
  #isDry = false;
  #failure: { cause: unknown } | null = null;

  /** @param lease answers messages, or null when there is nothing more to lease @param low fewer than these, and more are leased */
  constructor(lease: () => Promise<readonly Leased[] | null>, low: number) {
    this.#lease = lease;
    this.#low = low;
  }

  /** Never rejects: the caller may still have messages to send, or may not be waiting. `take` throws the failure later. */
  async #refill(): Promise<void> {
    try {
      const leased = await this.#lease();
      if (leased === null) {
        this.#isDry = true;
        return;
      }
      this.#ready = [...this.#ready.slice(this.#at), ...leased];
      this.#at = 0;
    } catch (cause) {
      this.#failure = { cause };
      this.#isDry = true;
    } finally {
      this.#leasing = null;
    }
  }

  /** The next message, or null when there are no more. @throws the failure of leasing, once there are none */
  async take(): Promise<Leased | null> {
    for (;;) {
      if (!this.#isDry && this.#leasing === null && this.#ready.length - this.#at < this.#low)
        this.#leasing = this.#refill();
      const next = this.#ready[this.#at];
      if (next !== undefined) {
        this.#at++;
        return next;
      }
      if (this.#leasing !== null) await this.#leasing;
      else if (this.#failure !== null) throw this.#failure.cause;
      else return null;
    }
  }

  /** Leases no more. Messages that are ready can still be taken. */
  close(): void {
    this.#isDry = true;
  }

  /** Leases no more, and waits for the statement that is leasing now. */
  async end(): Promise<void> {
    this.close();
    await this.#leasing;
  }
}

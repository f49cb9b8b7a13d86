import pg from "pg";

/** Thrown where a queue is full: nothing was done, and the caller may try again soon. */
export class Overloaded extends Error {}

type Callback = (error: Error | undefined, client: pg.PoolClient | undefined, release: () => void) => void;

/** A pool for whose connections at most `mostWaiting` callers wait; one more is refused at once. */
export class BoundedPool extends pg.Pool {
  readonly #mostWaiting: number;

  constructor(options: pg.PoolConfig, mostWaiting: number) {
    super(options);
    this.#mostWaiting = mostWaiting;
  }

  /** @throws Overloaded */
  override connect(): Promise<pg.PoolClient>;
  override connect(callback: Callback): void;
  override connect(callback?: Callback): Promise<pg.PoolClient> | undefined {
    // `waitingCount` includes callers that get a free or new connection at the end of this turn of the event loop: these do not count.
    const free = this.idleCount + this.options.max - this.totalCount;
    if (this.waitingCount < this.#mostWaiting + free) {
      if (callback === undefined) return super.connect();
      super.connect(callback);
      return undefined;
    }
    const error = new Overloaded(`${this.waitingCount} wait for a database connection.`);
    if (callback === undefined) return Promise.reject(error);
    process.nextTick(callback, error, undefined, () => undefined);
    return undefined;
  }
}

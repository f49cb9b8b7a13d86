import pg from "pg";

/** Thrown where a queue is full: nothing was done, and the caller may try again soon. */
export class Overloaded extends Error {}

/** A client that closes its connection where it could not begin: the driver leaves it open where it misses a password. */
class ClosingClient extends pg.Client {
  override connect(): Promise<pg.Client>;
  override connect(callback: (error: Error) => void): void;
  override connect(callback?: (error: Error) => void): Promise<pg.Client> | undefined {
    // The pool connects with a callback.
    if (callback === undefined) return super.connect();
    super.connect((error: Error) => {
      if (error) void this.end();
      callback(error);
    });
    return undefined;
  }
}

type Callback = (error: Error | undefined, client: pg.PoolClient | undefined, release: () => void) => void;

/** A pool for whose connections at most `mostWaiting` callers wait; one more is refused at once. */
export class BoundedPool extends pg.Pool {
  readonly #mostWaiting: number;

  constructor(options: pg.PoolConfig, mostWaiting: number) {
    super({ ...options, Client: ClosingClient });
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

import { Readable } from "node:stream";

type Reading = {
  /** Runs the reading of one piece, when it is its turn. */
  take: <T>(next: () => Promise<T>) => Promise<T>;
  /** Hears why the stream ends before its time. */
  brokeOff: (cause: unknown) => void;
};

/**
 * A file as a stream. A piece is read when the client has taken the one before, and only then does it take a turn: a slow client keeps no
 * connection to the database. Where a piece cannot be read, the connection is cut, so that no client takes the part that it has for the whole.
 */
export function streamOf(pieces: AsyncIterable<string>, { take, brokeOff }: Reading): Readable {
  async function* inTurns(): AsyncGenerator<string> {
    const source = pieces[Symbol.asyncIterator]();
    try {
      for (;;) {
        const { done, value } = await take(() => source.next());
        if (done) return;
        if (value !== "") yield value;
      }
    } catch (cause) {
      brokeOff(cause);
      throw cause;
    } finally {
      await source.return?.();
    }
  }
  return Readable.from(inTurns(), { highWaterMark: 1 });
}

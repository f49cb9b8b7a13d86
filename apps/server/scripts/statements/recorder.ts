import { type KyselyPlugin, PostgresQueryCompiler, type RootOperationNode } from "kysely";
import type pg from "pg";
import { type Db, kyselyOn } from "../../src/platform/db/db.ts";

/** A line of a store, whose path begins at the sources: `features/web/feed-store.ts`. */
export type Place = { path: string; line: number };

/** A statement as it was sent. `name`: that of a prepared one; `place`: null where no function of a store waits for the answer. */
export type Recorded = { text: string; name: string | null; place: Place | null };

/** What a connection of the driver is given. */
type Query = string | { text: string; name?: string };

/** So many statements are answered in one call: a loop that waits for an end which never comes is left. */
const MOST_STATEMENTS = 60;

/** Statements that begin and end transactions: they have no table. */
const FRAMES_OF_TRANSACTIONS = /^\s*(?:begin|commit|rollback|savepoint|release)\b/i;

/** The place of a frame of the stack that lies in a store. */
const STORE_FRAME = /\/apps\/server\/src\/(?<path>[^():\s]+store\.ts):(?<line>\d+):\d+/;

Error.stackTraceLimit = 60;

/** The innermost place of a store that runs now, or that waits for what runs now. */
function placeNow(): Place | null {
  const { path, line } = STORE_FRAME.exec(new Error("Where is this?").stack ?? "")?.groups ?? {};
  return path === undefined ? null : { path, line: Number(line) };
}

/** A row with any column, so that what reads it goes on. */
const anyRow = (): unknown =>
  new Proxy(
    {},
    {
      get: (_, column) => {
        if (typeof column === "symbol" || column === "then") return undefined;
        return /id$|key$/i.test(column) ? "00000000-0000-4000-8000-000000000001" : 1;
      },
      has: () => true,
    },
  );

/** A database that runs nothing: it writes down what it is sent, and answers with no row or with one. */
export class Recorder {
  readonly kysely: Db;
  readonly pool: pg.Pool;
  readonly client: pg.PoolClient;
  #recorded: Recorded[] = [];
  #answers = 0;
  // Kysely sends a statement later than a store runs it: here stands, by the text, where that was.
  readonly #places = new Map<string, Place | null>();

  constructor() {
    const query = async (sent: Query) => {
      const { text, name } = typeof sent === "string" ? { text: sent, name: undefined } : sent;
      this.#record(text, name ?? null);
      // Kysely counts what was written only where the command is known to write.
      const command = /\w+/.exec(text)?.[0].toUpperCase();
      const rows = this.#recorded.length <= this.#answers ? [anyRow()] : [];
      return { rows, rowCount: rows.length, command, fields: [] };
    };
    const nothing = (): void => undefined;
    const lent = {
      query,
      release: nothing,
      on: nothing,
      off: nothing,
      once: nothing,
      removeListener: nothing,
    };
    // All that stores ask of a connection, and of a pool.
    this.client = lent as unknown as pg.PoolClient;
    this.pool = {
      ...lent,
      connect: async () => lent,
      end: async () => undefined,
      options: {},
    } as unknown as pg.Pool;
    this.kysely = kyselyOn(this.pool).withPlugin(this.#plugin());
  }

  /** The statements that are sent meanwhile, of which the first so many are answered with a row, and the others with none. */
  async during(answers: number, act: () => Promise<void>): Promise<readonly Recorded[]> {
    this.#recorded = [];
    this.#answers = answers;
    // What a store makes of rows that mean nothing does not matter: what it sent before was written down.
    await act().catch(() => undefined);
    return this.#recorded;
  }

  #plugin(): KyselyPlugin {
    const compiler = new PostgresQueryCompiler();
    return {
      transformQuery: ({ node, queryId }) => {
        // The node of a whole query: it is given back as it is.
        this.#places.set(compiler.compileQuery(node as RootOperationNode, queryId).sql, placeNow());
        return node;
      },
      // Another plugin has made new rows, from the columns that they list: these list none.
      transformResult: async ({ result }) => ({
        ...result,
        rows: result.rows.map(anyRow) as typeof result.rows,
      }),
    };
  }

  #record(text: string, name: string | null): void {
    if (FRAMES_OF_TRANSACTIONS.test(text)) return;
    if (this.#recorded.length >= MOST_STATEMENTS) throw new Error("A call sends statements without end.");
    this.#recorded.push({ text, name, place: this.#places.get(text) ?? placeNow() });
  }
}

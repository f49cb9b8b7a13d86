import { setImmediate } from "node:timers/promises";
import type { PieceTurns } from "../../platform/pace/piece-turns.ts";
import type { FileBytes } from "./files/file.ts";
import { openFile } from "./files/open-file.ts";
import type { Column } from "./lines.pure.ts";
import type { ListReading } from "./list.ts";
import type { FileFormat } from "./schema.ts";
import type { RowPage } from "./walk.ts";

/**
 * A list that is written whole, or from one instant to another, into files. A `Place` says in JSON how far it is read, so that another process
 * can go on behind it.
 */
export type Table<Row, Place> = {
  columns: readonly Column<Row>[];
  /** Answers what reads the rows behind a place. `isQuiet`: hardly any request comes, so that it may read as many as are cheap to read at once. */
  open(
    reading: TableReading,
  ): Promise<(after: Place | null, isQuiet: boolean) => Promise<RowPage<Row, Place>>>;
};

/** What came from `since` on (epoch ms; null: all that was there before) until before `until`. A list that is written whole does not look at it. */
export type TableReading = ListReading & { since: number | null; until: number };

/** A file of a table: its bytes, and the place behind its last row; null where the table ends with it. */
export type Part = FileBytes & { rows: number; next: unknown };

/** A file ends once it has so many bytes of rows, or so many rows. */
const MOST_BYTES = 32 * 1_024 * 1_024;
const MOST_ROWS = 250_000;

/** Rows that are made text without a break: about a millisecond. */
const ROWS_AT_ONCE = 50;

/** What writes a table: the kind of rows that it has is its own. */
export type WriteParts = (
  reading: TableReading,
  options: { format: FileFormat; start: unknown; signal: AbortSignal; turns: Pick<PieceTurns, "take"> },
) => AsyncGenerator<Part>;

/**
 * Writes a table as files, one after the other; the last one is there even if it has no rows. `start` is the `next` of a file before. Once
 * `signal` is aborted it ends, with no file that is not full. Each page is read at its turn of `turns`.
 */
export const partsOf = <Row, Place>({ columns, open }: Table<Row, Place>): WriteParts =>
  async function* (reading, { format, start, signal, turns }) {
    const read = await open(reading);
    // It is what this table gave out itself.
    let after = start as Place | null;
    let file = openFile(format, columns);
    try {
      while (!signal.aborted) {
        const next: Place | null = await turns.take(signal, async ({ isQuiet }) => {
          const page = await read(after, isQuiet);
          for (let at = 0; at < page.rows.length; at += ROWS_AT_ONCE) {
            file.add(page.rows.slice(at, at + ROWS_AT_ONCE));
            // Requests have their turn.
            await setImmediate();
          }
          return page.next;
        });
        after = next;
        const isFull = file.bytes >= MOST_BYTES || file.rows >= MOST_ROWS;
        if (next !== null && !isFull) continue;
        yield { ...(await file.end()), rows: file.rows, next };
        if (next === null) return;
        file = openFile(format, columns);
      }
    } finally {
      file.close();
    }
  };

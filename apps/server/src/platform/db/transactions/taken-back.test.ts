import assert from "node:assert/strict";
import { it } from "node:test";
import { sql } from "kysely";
import { sharedHouse } from "../../../../test/harness.ts";
import type { Db } from "../db.ts";
import { savepoint } from "./savepoint.ts";
import { takenBack } from "./taken-back.ts";

const house = sharedHouse();

/** Does something in a transaction with a table of its own; answers what is in that table then. */
const rowsAfter = (
  act: (tx: Db, add: (row: string) => Promise<unknown>) => Promise<unknown>,
): Promise<string[]> =>
  house.database.kysely.transaction().execute(async (tx) => {
    await sql`create temporary table written (row text) on commit drop`.execute(tx);
    await act(tx, (row) => sql`insert into written values (${row})`.execute(tx));
    const { rows } = await sql<{ row: string }>`select row from written order by row`.execute(tx);
    return rows.map(({ row }) => row);
  });

it("takes back all that was written, also what one inside it has taken back before, and answers what came of it", async () => {
  const answers: unknown[] = [];
  const rows = await rowsAfter(async (tx, add) => {
    await add("before");
    answers.push(
      await takenBack(tx, async () => {
        await add("outside");
        const inner = async (): Promise<string> => {
          await add("inside");
          return "inner";
        };
        answers.push(await takenBack(tx, inner));
        await add("after the inner one");
        return "outer";
      }),
    );
    await add("later");
  });
  assert.deepEqual(
    [rows, answers],
    [
      ["before", "later"],
      ["inner", "outer"],
    ],
  );
});

it("throws what it throws, and the transaction goes on", async () => {
  const rows = await rowsAfter(async (tx, add) => {
    const failing = takenBack(tx, async () => {
      await add("lost");
      await sql`select 1 / 0`.execute(tx);
    });
    await assert.rejects(failing, /division by zero/);
    await add("kept");
  });
  assert.deepEqual(rows, ["kept"]);
});

it("leaves no savepoint behind that stands before one of the same name around it", async () => {
  const rows = await rowsAfter(async (tx, add) => {
    const outer = savepoint(tx, "same", async () => {
      await add("outer");
      await savepoint(tx, "same", () => Promise.reject(new Error("inner"))).catch(() => undefined);
      throw new Error("outer");
    });
    await assert.rejects(outer, /outer/);
  });
  assert.deepEqual(rows, []);
});

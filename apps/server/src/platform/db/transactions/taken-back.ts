import type { Db } from "../db.ts";
import { savepoint } from "./savepoint.ts";

/** Ends what is taken back: a savepoint is rolled back by an error alone. */
class TakenBack extends Error {}

/**
 * Runs a part of a transaction and takes back all that it wrote, so that it is known what would come of it. Answers what it answered.
 * @throws what it throws
 */
export async function takenBack<T>(tx: Db, act: () => Promise<T>): Promise<T> {
  const answers: T[] = [];
  const over = new TakenBack();
  const acted = savepoint(tx, "taken_back", async () => {
    answers.push(await act());
    throw over;
  });
  await acted.catch((error: unknown) => {
    if (error !== over) throw error;
  });
  const [answer] = answers;
  // It ends without an answer by an error alone, which was thrown above.
  return answer as T;
}

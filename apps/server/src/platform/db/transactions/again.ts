import { isContention } from "../db.ts";

const MAX_TRIES = 3;

/** Runs a transaction again that lost a race for rows, up to three times in all. */
export async function again<T>(run: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await run();
    } catch (error) {
      if (tries === MAX_TRIES || !isContention(error)) throw error;
    }
  }
}

import { hash } from "node:crypto";
import type { Db, Tx } from "../../db/db.ts";
import type { Secrets } from "../../secrets/secrets.ts";
import { DAY_MS } from "../../time/clock.ts";
import type { Download } from "../contract/endpoint.ts";
import { ApiError } from "../contract/errors.ts";
import {
  findKept,
  type KeptAnswer,
  keepAnswer,
  releaseKey,
  replaceAnswers,
  takeKey,
  type UsedKey,
} from "./idempotency-store.ts";

/**
 * The answer of an operation; "" is no body. A management write's answer is stored with its key, and repeated for it (`replayed`). `download`
 * stands in place of the body.
 */
export type HandlerAnswer = { status: number; body: string; replayed: boolean; download?: Download };

export type IdempotencyKey = UsedKey & {
  /** Seals the kept answer, which shows a secret. */
  seal?: Secrets;
};

/** The place to which a sealed answer is bound. */
const sealedAs = ({ projectId, key, operation }: IdempotencyKey): string =>
  `answer ${projectId} ${operation} ${key}`;

const keptBody = (given: IdempotencyKey, body: string): string =>
  given.seal === undefined ? body : given.seal.seal(body, sealedAs(given)).toString("base64");

const bodyOf = (given: IdempotencyKey, kept: string): string =>
  given.seal === undefined ? kept : given.seal.open(Buffer.from(kept, "base64"), sealedAs(given));

export const requestDigest = (url: string, body: unknown): string =>
  hash("sha256", `${url}\n${JSON.stringify(body)}`);

const USED = "This Idempotency-Key was used for another request.";
const IN_DOUBT =
  "A request with this Idempotency-Key is under way, or was cut off before its answer was kept: look whether it had its effect, and use another key to do it again.";

/** The answer that a key got within the last day, or null. @throws ApiError conflict when it has no answer, or is another request's */
async function findAnswer(db: Db, given: IdempotencyKey, now: number): Promise<HandlerAnswer | null> {
  const earlier = await findKept(db, given, now - DAY_MS);
  if (earlier === null) return null;
  const { operation, digest, status, body } = earlier;
  if (operation !== given.operation || digest !== given.digest) throw new ApiError("conflict", USED);
  if (status === null || body === null) throw new ApiError("conflict", IN_DOUBT);
  return { status, body: bodyOf(given, body), replayed: true };
}

const take = (db: Db, given: IdempotencyKey, now: number, reserved: boolean): Promise<boolean> =>
  takeKey(db, given, { now, freeFrom: now - DAY_MS, reserved });

const keep = (db: Db, given: IdempotencyKey, { status, body }: KeptAnswer): Promise<void> =>
  keepAnswer(db, given, { status, body: keptBody(given, body) });

/** The answer that a key keeps whose own answer named a user who was erased since. */
const FORGOTTEN = new ApiError(
  "conflict",
  "The answer of this Idempotency-Key was forgotten with a user whom it named, and who was erased. Use another key to do it again.",
);

/**
 * Forgets the answers of a project that name what is erased, and refuses their keys from then on: the requests had their effect, so that a
 * repeat must not have it again. `values`: texts that are fields of their own; `parts`: texts anywhere, in any case. Answers that show a
 * secret are sealed, and not looked into: they are about people who use the dashboard.
 */
export const forgetAnswers = (
  tx: Db,
  projectId: string,
  named: { values: readonly string[]; parts: readonly string[] },
): Promise<void> =>
  replaceAnswers(tx, projectId, named, { status: FORGOTTEN.status, body: JSON.stringify(FORGOTTEN.body()) });

/**
 * Runs a write at most once per key within 24 hours, inside the caller's transaction: the record and the effect are
 * one commit. A concurrent duplicate waits on the key's row, then replays.
 * @throws ApiError conflict when the key was used for something else.
 */
export async function once(
  tx: Tx,
  given: IdempotencyKey,
  now: number,
  run: () => Promise<HandlerAnswer>,
): Promise<HandlerAnswer> {
  if (!(await take(tx, given, now, false))) {
    const earlier = await findAnswer(tx, given, now);
    if (earlier !== null) return earlier;
    throw new ApiError("conflict", USED);
  }
  const answer = await run();
  await keep(tx, given, answer);
  return answer;
}

/**
 * Runs a write whose effect leaves the database at most once per key within 24 hours. `run` gets `reserve`, to be called right before the
 * effect: it commits a record without an answer. A refusal from then on frees the key, unless the effect may have happened. After a
 * crash the record stays without an answer, and a repeat is refused. A repeat at the same time is a conflict.
 * @throws ApiError conflict when the key was used for something else, or when it is unknown whether its request had its effect
 */
export async function onceOutside(
  db: Db,
  given: IdempotencyKey,
  now: number,
  run: (reserve: () => Promise<void>) => Promise<HandlerAnswer>,
): Promise<HandlerAnswer> {
  const earlier = await findAnswer(db, given, now);
  if (earlier !== null) return earlier;
  let isReserved = false;
  const reserve = async (): Promise<void> => {
    isReserved = await take(db, given, now, true);
    if (isReserved) return;
    await findAnswer(db, given, now);
    throw new ApiError("conflict", IN_DOUBT);
  };
  let answer: HandlerAnswer;
  try {
    answer = await run(reserve);
  } catch (error) {
    if (isReserved && error instanceof ApiError) {
      const { status } = error;
      if (error.mayHaveHappened) await keep(db, given, { status, body: JSON.stringify(error.body()) });
      else await releaseKey(db, given);
    }
    throw error;
  }
  // A handler that did not call `reserve` had no effect outside, so doing it twice was harmless; the first answer is kept.
  if (!isReserved && !(await take(db, given, now, true))) return (await findAnswer(db, given, now)) ?? answer;
  await keep(db, given, answer);
  return answer;
}

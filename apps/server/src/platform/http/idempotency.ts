import { hash } from "node:crypto";
import { sql } from "kysely";
import type { Db, Tx } from "../db/db.ts";
import type { Secrets } from "../secrets/secrets.ts";
import { DAY_MS } from "../time/clock.ts";
import type { Download } from "./contract/endpoint.ts";
import { ApiError } from "./contract/errors.ts";

/**
 * The answer of an operation; "" is no body. A management write's answer is stored with its key, and repeated for it (`replayed`). `download`
 * stands in place of the body.
 */
export type HandlerAnswer = { status: number; body: string; replayed: boolean; download?: Download };

export type IdempotencyKey = {
  projectId: string;
  key: string;
  operation: string;
  /** Of the address and the body of the request. */
  digest: string;
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

/** Takes a key if it is free or older than a day; false where another request has it. `reserved`: the effect leaves the database. */
async function takeKey(db: Db, given: IdempotencyKey, now: number, reserved: boolean): Promise<boolean> {
  const { projectId, key, operation, digest } = given;
  const taken = await db
    .insertInto("idempotencyKeys")
    .values({ projectId, key, operation, digest, createdAt: now, reserved })
    .onConflict((conflict) =>
      conflict
        .columns(["projectId", "key"])
        .doUpdateSet({ operation, digest, createdAt: now, status: null, body: null, reserved })
        .where("idempotencyKeys.createdAt", "<=", now - DAY_MS),
    )
    .returning("key")
    .executeTakeFirst();
  return taken !== undefined;
}

/** The answer that a key got within the last day, or null. @throws ApiError conflict when it has no answer, or is another request's */
async function findAnswer(db: Db, given: IdempotencyKey, now: number): Promise<HandlerAnswer | null> {
  const earlier = await db
    .selectFrom("idempotencyKeys")
    .select(["operation", "digest", "status", "body"])
    .where("projectId", "=", given.projectId)
    .where("key", "=", given.key)
    .where("createdAt", ">", now - DAY_MS)
    .executeTakeFirst();
  if (earlier === undefined) return null;
  const { operation, digest, status, body } = earlier;
  if (operation !== given.operation || digest !== given.digest) throw new ApiError("conflict", USED);
  if (status === null || body === null) throw new ApiError("conflict", IN_DOUBT);
  return { status, body: bodyOf(given, body), replayed: true };
}

async function keepAnswer(
  db: Db,
  given: IdempotencyKey,
  { status, body }: Pick<HandlerAnswer, "status" | "body">,
): Promise<void> {
  const { projectId, key } = given;
  await db
    .updateTable("idempotencyKeys")
    .set({ status, body: keptBody(given, body), reserved: false })
    .where("projectId", "=", projectId)
    .where("key", "=", key)
    .where("status", "is", null)
    .execute();
}

/** The answer that a key keeps whose own answer named a user who was erased since. */
const FORGOTTEN = new ApiError(
  "conflict",
  "The answer of this Idempotency-Key was forgotten with a user whom it named, and who was erased. Use another key to do it again.",
);

/** What LIKE matches as it is. */
const literally = (text: string): string => text.replace(/[\\%_]/g, "\\$&");
/** A text as it stands within a kept answer. */
const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);

/**
 * Forgets the answers of a project that name what is erased, and refuses their keys from then on: the requests had their effect, so that a
 * repeat must not have it again. `values`: texts that are fields of their own; `parts`: texts anywhere, in any case. Answers that show a
 * secret are sealed, and not looked into: they are about people who use the dashboard.
 */
export async function forgetAnswers(
  tx: Db,
  projectId: string,
  { values, parts }: { values: readonly string[]; parts: readonly string[] },
): Promise<void> {
  const fields = values.flatMap((text) =>
    [",", "}", "]"].map((end) => `%"${literally(inJson(text))}"${end}%`),
  );
  const anywhere = parts.map((text) => `%${literally(inJson(text.toLowerCase()))}%`);
  await sql`
    update idempotency_keys set status = ${FORGOTTEN.status}, body = ${JSON.stringify(FORGOTTEN.body())}
    where project_id = ${projectId} and not reserved
      and (body like any(${fields}::text[]) or lower(body) like any(${anywhere}::text[]))`.execute(tx);
}

async function release(db: Db, { projectId, key }: IdempotencyKey): Promise<void> {
  await db
    .deleteFrom("idempotencyKeys")
    .where("projectId", "=", projectId)
    .where("key", "=", key)
    .where("reserved", "=", true)
    .execute();
}

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
  if (!(await takeKey(tx, given, now, false))) {
    const earlier = await findAnswer(tx, given, now);
    if (earlier !== null) return earlier;
    throw new ApiError("conflict", USED);
  }
  const answer = await run();
  await keepAnswer(tx, given, answer);
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
    isReserved = await takeKey(db, given, now, true);
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
      if (error.mayHaveHappened) await keepAnswer(db, given, { status, body: JSON.stringify(error.body()) });
      else await release(db, given);
    }
    throw error;
  }
  // A handler that did not call `reserve` had no effect outside, so doing it twice was harmless; the first answer is kept.
  if (!isReserved && !(await takeKey(db, given, now, true)))
    return (await findAnswer(db, given, now)) ?? answer;
  await keepAnswer(db, given, answer);
  return answer;
}

/** Deletes keys older than a day, in every project. */
export async function forgetOldKeysAcrossProjects(db: Db, now: number): Promise<void> {
  await sql`delete from idempotency_keys where created_at <= ${now - DAY_MS}`.execute(db);
}

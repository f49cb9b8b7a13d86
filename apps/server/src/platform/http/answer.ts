import { again } from "../db/again.ts";
import { atOneInstant } from "../db/at-one-instant.ts";
import type { App } from "../runtime.ts";
import { type Ctx, type Endpoint, isManagementWrite, Replay, successStatus } from "./endpoint.ts";
import { type Answer, type IdempotencyKey, once, onceOutside, requestDigest } from "./idempotency.ts";

/** A parsed request, with the parts by which an Idempotency-Key tells it from another request. */
export type OperationRequest = {
  input: Parameters<Endpoint["handle"]>[1];
  /** The Idempotency-Key, where one came. */
  key: string | null;
  url: string;
  /** The JSON body as it came. */
  body: unknown;
};

/** Runs the operation and renders its answer. */
export type AnswerRequest = (ctx: Ctx, request: OperationRequest) => Promise<Answer>;

/** JSON.stringify replacer: object keys in one order, so that two answers can be compared as text. */
export function sortedKeys(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** @throws when an answer differs from its contract, or has further fields */
function assertAsPromised({ spec }: Endpoint, data: unknown): void {
  const shaped = spec.result?.parse(data);
  const [actual, promised] = [data, shaped].map((value) => JSON.stringify(value, sortedKeys));
  if (actual !== promised)
    throw new Error(`${spec.id} answers fields that its contract does not name: ${actual}`);
}

/**
 * The last steps of a request: idempotency, handle, render. A management write runs in one transaction, for its effect and
 * for the record of its Idempotency-Key, and again when it lost a race for rows.
 * @param checkAnswers compare every answer with its contract; for tests
 */
export function createAnswerer({ database }: App, endpoint: Endpoint, checkAnswers: boolean): AnswerRequest {
  const { id } = endpoint.spec;
  const status = successStatus(endpoint.spec);

  async function run(ctx: Ctx, { input }: OperationRequest): Promise<Answer> {
    const answered = await endpoint.handle(ctx, input);
    const isReplay = answered instanceof Replay;
    const data = isReplay ? answered.original : answered;
    if (checkAnswers) assertAsPromised(endpoint, data);
    const body = data === undefined ? "" : JSON.stringify(data);
    return { status: isReplay ? 200 : status, body, replayed: false };
  }

  /** The Idempotency-Key of a request with the digest of the request; null where none came. */
  function keyOf(
    { projectId }: Ctx,
    { key, url, body, input: { file } }: OperationRequest,
  ): IdempotencyKey | null {
    if (key === null) return null;
    const digest = requestDigest(url, file === null ? body : file.bytes.toString("base64"));
    return { projectId, key, operation: id, digest };
  }

  const write: AnswerRequest = (ctx, request) =>
    database.kysely.transaction().execute((tx) => {
      const inside = (): Promise<Answer> => run({ ...ctx, db: tx }, request);
      const key = keyOf(ctx, request);
      return key === null ? inside() : once(tx, key, ctx.now, inside);
    });

  const writeOutside: AnswerRequest = (ctx, request) => {
    const key = keyOf(ctx, request);
    if (key === null) return run(ctx, request);
    return onceOutside(ctx.db, key, ctx.now, (reserve) => run({ ...ctx, reserve }, request));
  };

  const writeAgain: AnswerRequest = (ctx, request) => again(() => write(ctx, request));

  const read: AnswerRequest = (ctx, request) =>
    atOneInstant(ctx.db, (tx) => run({ ...ctx, db: tx }, request));

  if (isManagementWrite(endpoint)) return endpoint.spec.ownTransaction ? writeOutside : writeAgain;
  return endpoint.spec.oneInstant ? read : run;
}

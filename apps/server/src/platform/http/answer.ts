import { again } from "../db/transactions/again.ts";
import { atOneInstant } from "../db/transactions/at-one-instant.ts";
import { rouse } from "../loops/changes.ts";
import type { App } from "../runtime.ts";
import { isCheckedNow, withPersonNow } from "./admission/standing.ts";
import { auditEntry, auditLog } from "./audit.ts";
import {
  type ChangeDescription,
  type Ctx,
  Download,
  type Endpoint,
  isManagementWrite,
  Replay,
  successStatus,
} from "./contract/endpoint.ts";
import type { Person } from "./contract/person.ts";
import {
  type HandlerAnswer,
  type IdempotencyKey,
  once,
  onceOutside,
  requestDigest,
} from "./idempotency/idempotency.ts";

/** A parsed request, with the parts by which an Idempotency-Key tells it from another request. */
export type OperationRequest = {
  input: Parameters<Endpoint["handle"]>[1];
  /** The Idempotency-Key, where one came. */
  key: string | null;
  url: string;
  /** The JSON body as it came. */
  body: unknown;
  requestId: string;
};

/** Runs the operation and renders its answer. */
export type AnswerRequest = (ctx: Ctx, request: OperationRequest) => Promise<HandlerAnswer>;

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
export function createAnswerer(app: App, endpoint: Endpoint, checkAnswers: boolean): AnswerRequest {
  const { database } = app;
  const { spec } = endpoint;
  const { id } = spec;
  const status = successStatus(endpoint.spec);

  async function run(
    ctx: Ctx,
    { input }: OperationRequest,
    wrote?: (data: unknown) => Promise<void>,
  ): Promise<HandlerAnswer> {
    const answered = await endpoint.handle(ctx, input);
    const isReplay = answered instanceof Replay;
    const data = isReplay ? answered.original : answered;
    if (data instanceof Download) return { status, body: "", replayed: false, download: data };
    if (checkAnswers) assertAsPromised(endpoint, data);
    await wrote?.(data);
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
    return {
      projectId,
      key,
      operation: id,
      digest,
      ...(endpoint.spec.secretAnswer && { seal: app.secrets }),
    };
  }

  /** A change by a person, with its entry in the audit log: both are written, or neither. */
  function runAudited(ctx: Ctx, person: Person, request: OperationRequest): Promise<HandlerAnswer> {
    const change: ChangeDescription = {};
    const describe = (more: ChangeDescription): void => void Object.assign(change, more);
    return run({ ...ctx, describe }, request, (data) =>
      app.ask(auditLog)(ctx.db, auditEntry(endpoint, ctx, person, request, { data, change })),
    );
  }

  const runWrite = (ctx: Ctx, request: OperationRequest): Promise<HandlerAnswer> =>
    ctx.keyKind === "none" && ctx.person !== null ? runAudited(ctx, ctx.person, request) : run(ctx, request);

  const write: AnswerRequest = (ctx, request) =>
    database.kysely.transaction().execute(async (tx) => {
      // Before a kept answer is looked for, which may show a secret.
      const current = await withPersonNow(
        { ...ctx, db: tx },
        spec,
        spec.changesMembers ? "members" : "person",
      );
      const inside = (): Promise<HandlerAnswer> => runWrite(current, request);
      const key = keyOf(ctx, request);
      return key === null ? inside() : once(tx, key, ctx.now, inside);
    });

  /** The effect leaves the database, so the entry comes first: that a person asked for it is known, whatever became of it. */
  async function runOutside(ctx: Ctx, request: OperationRequest): Promise<HandlerAnswer> {
    if (ctx.keyKind === "none" && ctx.person !== null)
      await app.ask(auditLog)(ctx.db, auditEntry(endpoint, ctx, ctx.person, request));
    return run(ctx, request);
  }

  /** What the handler calls right before its effect: until then it may have waited for long. */
  const reserveOf =
    (ctx: Ctx, commit?: () => Promise<void>): (() => Promise<void>) =>
    async () => {
      await withPersonNow(ctx, spec, "none");
      await commit?.();
    };

  const writeOutside: AnswerRequest = async (admitted, request) => {
    const ctx = await withPersonNow(admitted, spec, "none");
    const key = keyOf(ctx, request);
    if (key === null) return runOutside({ ...ctx, reserve: reserveOf(ctx) }, request);
    return onceOutside(ctx.db, key, ctx.now, (commit) =>
      runOutside({ ...ctx, reserve: reserveOf(ctx, commit) }, request),
    );
  };

  const writeAgain: AnswerRequest = (ctx, request) => again(() => write(ctx, request));

  const readAtOneInstant: AnswerRequest = (ctx, request) =>
    atOneInstant(ctx.db, (tx) => run({ ...ctx, db: tx }, request));

  /** The entry is written before the first piece of a file leaves. A refusal has none. */
  async function readAudited(ctx: Ctx, request: OperationRequest): Promise<HandlerAnswer> {
    if (ctx.keyKind !== "none" || ctx.person === null) return run(ctx, request);
    const change: ChangeDescription = {};
    const describe = (more: ChangeDescription): void => void Object.assign(change, more);
    const answer = await run({ ...ctx, describe }, request);
    await app.ask(auditLog)(ctx.db, auditEntry(endpoint, ctx, ctx.person, request, { change }));
    return answer;
  }

  const read: AnswerRequest = spec.oneInstant === true ? readAtOneInstant : spec.audited ? readAudited : run;

  const readNow: AnswerRequest = async (ctx, request) =>
    read(await withPersonNow(ctx, spec, "none"), request);

  /** What was written may be work for loops; also what a failed operation wrote that has transactions of its own. */
  const rousing =
    (act: AnswerRequest): AnswerRequest =>
    async (ctx, request) => {
      try {
        return await act(ctx, request);
      } finally {
        rouse(app);
      }
    };

  if (isManagementWrite(endpoint)) return rousing(spec.ownTransaction ? writeOutside : writeAgain);
  return isCheckedNow(endpoint) ? readNow : read;
}

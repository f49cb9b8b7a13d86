import { z } from "zod";
import type { Db } from "../../db/db.ts";
import type { App } from "../../runtime.ts";
import type { Perimeter, UserClaim } from "../admission/perimeter.ts";
import type { SecretHeader } from "../admission/secret-header.ts";
import type { Budget } from "../budgets/budget.ts";
import { closed, withFieldNames } from "./closed.ts";
import type { Dialect } from "./dialect.ts";
import { ApiError, type ErrorCode } from "./errors.ts";
import type { LookAlikes } from "./look-alikes.ts";
import type { PeopleAllowed, Person, PersonScope } from "./person.ts";

/**
 * What a key of a project is for. `send` is for servers and tools without code that send transactional mail, and read what became of it: it
 * names users to write to, and proves none.
 */
export type KeyKind = "publishable" | "secret" | "agent" | "send";

/** A key of a project. `perimeter`: what the project demands of pages and apps, if anything. `isLent`: made by Tidings for its own agent. */
export type KeyPrincipal = { projectId: string; keyKind: KeyKind; perimeter?: Perimeter; isLent?: true };

/** A person in front of the dashboard; `person` is null only where an operation is open to all. */
export type PersonPrincipal = {
  projectId: string;
  keyKind: "none";
  perimeter?: never;
  isLent?: never;
  person: Person | null;
};

/** The caller. A request about no single project has `NO_PROJECT` as its `projectId`. */
export type Principal = KeyPrincipal | PersonPrincipal;

/** The author of a change: a program with a key, an agent, or a person. */
export type By = { kind: "api" | "agent" | "human"; id: string | null; name: string | null };

const BY_AGENT: By = { kind: "agent", id: null, name: null };
const BY_API: By = { kind: "api", id: null, name: null };

/** What a handler adds to the audit entry of its change; never a secret. */
export type ChangeDescription = {
  /** Id of what was changed, where it is not in the path. */
  target?: string;
  before?: unknown;
  after?: unknown;
};

/** What a handler gets beside its input. It never sees a request or a reply. */
export type Ctx = Principal & {
  app: App;
  /** A transaction in a management write (committed when the handler returns) and in a read at one instant, else the pool. */
  db: Db;
  /** One instant for the whole request, epoch milliseconds. */
  now: number;
  /**
   * Present in an operation with `ownTransaction`. The handler calls it right before an effect that cannot be undone: it asks whether the
   * person who asks still may, and commits the Idempotency-Key where the request has one.
   * @throws ApiError conflict when another request was faster; unauthorized, forbidden or not_found when the person may no longer
   */
  reserve?: () => Promise<void>;
  /** Whether the user that the request names (`identifies`) is proven: by their hash, even where none is demanded, or by a secret key. */
  isProven: () => boolean;
  by: By;
  /** Says more of a change than its fields, for the audit log; without effect where a program makes it. */
  describe: (change: ChangeDescription) => void;
};

/** The person who asks. @throws Error in an operation that others may call as well */
export function personOf(ctx: Ctx): Person {
  if (ctx.keyKind !== "none" || ctx.person === null) throw new Error("This operation is for people alone.");
  return ctx.person;
}

/**
 * The person who asks, with their account, in an operation about what is their own.
 * @throws ApiError forbidden for the operator at the command line, who has none
 */
export function accountOf(ctx: Ctx): Person & { id: string } {
  const person = personOf(ctx);
  const { id } = person;
  if (id === null) throw new ApiError("forbidden", "This is about the account of a person who is signed in.");
  return { ...person, id };
}

export const byOf = (principal: Principal): By => {
  if (principal.keyKind === "none")
    return { kind: "human", id: principal.person?.id ?? null, name: principal.person?.name ?? null };
  return principal.keyKind === "agent" ? BY_AGENT : BY_API;
};

/** What a handler gets as its caller where the house itself calls it, as if with a key of this kind. */
export const asHouse = <Kind extends KeyKind>(keyKind: Kind) => ({
  keyKind,
  isProven: () => true,
  by: keyKind === "agent" ? BY_AGENT : BY_API,
  describe: () => undefined,
});

/** The maker of something, as the API shows it: a person, or a program. */
export const makerOf = ({ by }: Pick<Ctx, "by">): "human" | "api" => (by.kind === "human" ? "human" : "api");

/** An uploaded file. `contentType` is what the client claims. */
export type Upload = { bytes: Buffer; contentType: string };

/**
 * What a person did, after their name: `made a goal`. With `target` where what they changed is called otherwise than by an id of the API:
 * a person by their address, which only owners read; an address of users by its key; a repository by its name.
 */
export type Audit = string | { did: string; target: "person" | "address" | "source" };

type Schema = z.ZodType;
type Parsed<S> = S extends Schema ? z.output<S> : undefined;
/** What a handler answers: data for its result, a file, or nothing. */
type Answered<Result, Replays> = Result extends Schema
  ? Promise<z.input<Result> | (Replays extends true ? Replay<z.input<Result>> : never)>
  : Promise<Download> | Promise<void>;

/** How an operation is a tool of models. */
export type ToolOffer = {
  /** Its name, where it is not the operation's id in snake case. */
  name?: string;
  /** It may overwrite what people made, or send something to them: most clients ask a person before. */
  isDestructive?: true;
  /** Arguments that it takes and does not show: older or later forms, which would only lead a model astray, and what only people look at. */
  hides?: readonly string[];
};

type Input<Params, Query, Body, Capability> = {
  params: Parsed<Params>;
  query: Parsed<Query>;
  body: Parsed<Body>;
  file: Upload | null;
  /** Well-formed; the operation itself checks whether it is the right one. */
  capability: Capability extends true ? string : null;
  /** The value of `secretHeader`; null where the request has none. */
  secret: string | null;
};

/**
 * What is the same for every operation, as data. The platform applies it in one order: request id, managed-only,
 * authentication, origin, key type, budget, size, parse, identity, idempotency, handle, render.
 */
export type EndpointSpec<Params, Query, Body, Result> = {
  /** Operation id = exported name = client method. */
  id: string;
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Path with `{name}` parameters. */
  path: `/${string}`;
  summary: string;
  description?: string;
  /** What a person did by it, as the audit log reads. Every operation has it by which people change something, or take out a list. */
  audit?: Audit;
  tag: string;
  /** Keys that may call it; none where only people may. */
  keys: readonly KeyKind[];
  /** People who may call it; left out where none may. */
  people?: PeopleAllowed;
  /**
   * Of a change that people below an approver may make. `true`: it reaches users at once, so that it asks the setting `people.launch` for
   * their role. A sentence: why it reaches no user, or only as a person of that role has decided.
   */
  reachesUsers?: true | string;
  /** What a person's request is about: one project where it is not stated. */
  scope?: PersonScope;
  /** A person has to have signed in lately, because it is hard to take back. */
  fresh?: true;
  /** It changes who may do what: the members are locked before the role of the person who asks is read, and no two of these run at once. */
  changesMembers?: true;
  /** The budget of its project that requests with keys are counted in. Every operation with keys has one. */
  budget?: Budget;
  /** How models get it as a tool, or a sentence that says why not. Every operation with the secret or the agent key has one. */
  tool?: ToolOffer | string;
  /** May read a lot: only a few of these run at once, and a request whose client is gone is stopped. */
  cost?: "heavy";
  /** Answered with 501 unless MODE=managed. */
  managedOnly?: true;
  /** Changes nothing, whatever its method: no transaction, no Idempotency-Key. */
  isRead?: true;
  /**
   * A management write that opens its own transactions, because its effect leaves the database. Its statements and the record of its
   * Idempotency-Key are not one transaction, so it calls `ctx.reserve` right before the effect.
   */
  ownTransaction?: true;
  /**
   * A read whose statements all see the database at one instant. It must use `ctx.db` alone (`platform/db/transactions/at-one-instant.ts`).
   * One that answers a total and is read otherwise says in a sentence how its numbers agree.
   */
  oneInstant?: true | string;
  /** A read by which a list of rows leaves the house: a person's leaves an entry in the audit log, as a change does. */
  audited?: true;
  /** Written by group commit, and harmless when it is repeated: no transaction of its own, no Idempotency-Key. */
  isMerge?: true;
  params?: Params;
  query?: Query;
  body?: Body;
  /** An accepted body, for the OpenAPI document: readers look at examples first. */
  example?: Body extends Schema ? z.input<Body> : never;
  /** Fields that an open body must not have, because ignoring them would change what the request means. */
  lookAlikes?: LookAlikes;
  /**
   * Largest body in bytes, with its characters as UTF-8 where they come as escapes; 8 KiB where it is not stated. With `items` it is 18 KiB
   * for each, as it was sent.
   */
  bodyLimit?: number;
  /** Escapes count as they were sent. */
  countsEscapes?: true;
  /** What to do where a body is too large, as the end of the sentence that refuses it. */
  whenTooLarge?: string;
  /** A list of the body, of at most so many items, each of which is judged by itself and has an answer of its own. */
  items?: { field: string; max: number };
  /**
   * For libraries of other services, which cannot change how they send: JSON under any content type, or gzip of it; the key also as this
   * field of the body. What of the body cannot be kept refuses nothing: texts are mended, and `undefined` stands for a number. A body
   * that is refused is thrown away by them without a word, so that `onRefused` is called with the refusal, before the refusal is sent.
   */
  takesForeign?: {
    keyField: string;
    onRefused: (app: App, principal: Principal, refusal: ApiError) => Promise<void>;
  };
  /**
   * It is a call of another service, for code that keeps its library: where that has the key, and how it reads refusals. Such an operation is
   * in no document, client or list of the API, and people do not call it.
   */
  dialect?: Dialect;
  /** A multipart body with one file in this field. */
  upload?: { field: string; maxBytes: number };
  /** Status of a success that has a body; 200 where it is not stated. */
  status?: 200 | 201;
  /** A repeat is answered with 200 and the original: the handler returns a `Replay`. */
  replays?: true;
  /** Shape of the body of a success. Without one there is no body: the status is 204. */
  result?: Result;
  /** Content types of an answer that is a file in place of JSON: the handler returns a `Download`. */
  downloads?: readonly string[];
  /** Shows a secret, so that its answer is kept sealed for repeats with its Idempotency-Key. */
  secretAnswer?: true;
  /** Requires the header of `capability.ts`, which the handler gets as `capability`. */
  needsCapability?: true;
  /** A header that stands in for a field of the query, which the handler gets as `secret`. */
  secretHeader?: SecretHeader;
  /** The user that a request names: a request with the publishable key has to prove them by their hash, where the project demands it. */
  identifies?: (input: { query: Parsed<Query>; body: Parsed<Body>; secret: string | null }) => UserClaim;
  /**
   * The shape of its refusals, where it is not that of all others. `strict`: the field `error`, of at most 256 characters, and no other.
   * `source`: those with 400, 403, 404, 409 and 503 are `{ok: false, status, error, retryAfterMs?}`.
   */
  refusals?: "strict" | "source";
  /** Refusals of its own, beside those that every keyed operation can give. */
  errors?: readonly ErrorCode[];
  /** Values of `reason` that its refusals with 409 may say. */
  reasons?: readonly string[];
  /** JSON Schemas of further fields that a refusal with a reason has. */
  refusalFields?: Readonly<Record<string, object>>;
  headers?: Readonly<Record<string, string>>;
};

/** The result of an earlier request, as the answer to a repeat of it: with 200 instead of the operation's own status. */
export class Replay<Data> {
  readonly original: Data;

  constructor(original: Data) {
    this.original = original;
  }
}

/** A file as an answer, which leaves piece by piece while it is read. */
export class Download {
  readonly contentType: string;
  /** What a browser calls it: ASCII letters, digits, hyphens and dots. */
  readonly name: string;
  readonly pieces: AsyncIterable<string>;

  constructor(contentType: string, name: string, pieces: AsyncIterable<string>) {
    this.contentType = contentType;
    this.name = name;
    this.pieces = pieces;
  }
}

export type Endpoint = {
  spec: EndpointSpec<Schema | undefined, Schema | undefined, Schema | undefined, Schema | undefined>;
  /** Called by the platform with the input that the spec's schemas have parsed. */
  handle: (
    ctx: Ctx,
    input: {
      params: unknown;
      query: unknown;
      body: unknown;
      file: Upload | null;
      capability: string | null;
      secret: string | null;
    },
  ) => Promise<unknown>;
};

/** Operations that pages of any origin may call: their bodies stay open. All others manage a project. */
const isOpen = (keys: readonly KeyKind[]): boolean => keys.includes("publishable");

/** The contract with closed schemas: a management operation refuses every field of body and query that it does not name. */
function refusingUnknown({ query, body, ...spec }: Endpoint["spec"]): Endpoint["spec"] {
  const read = isOpen(spec.keys) ? withFieldNames : closed;
  const closedQuery = isOpen(spec.keys) ? query : (query ?? z.object({}));
  return { ...spec, ...(closedQuery && { query: read(closedQuery) }), ...(body && { body: read(body) }) };
}

/** An operation: its contract and its handler. */
export function endpoint<
  Result extends Schema | undefined = undefined,
  Params extends Schema | undefined = undefined,
  Query extends Schema | undefined = undefined,
  Body extends Schema | undefined = undefined,
  Replays extends true | undefined = undefined,
  Capability extends true | undefined = undefined,
>(
  spec: EndpointSpec<Params, Query, Body, Result> & { replays?: Replays; needsCapability?: Capability },
  handler: (ctx: Ctx, input: Input<Params, Query, Body, Capability>) => Answered<Result, Replays>,
): Endpoint {
  // The types of one operation end here: the platform treats all operations alike, and parses with their schemas.
  const { spec: given, handle } = { spec, handle: handler } as unknown as Endpoint;
  return { spec: refusingUnknown(given), handle };
}

/** Status of a success. */
export const successStatus = ({ status, result, downloads }: Endpoint["spec"]): 200 | 201 | 204 =>
  result === undefined && downloads === undefined ? 204 : (status ?? 200);

/** Operations that change what is managed: they accept an Idempotency-Key, and run in one transaction unless they open their own. */
export const isManagementWrite = ({ spec }: Endpoint): boolean =>
  spec.method !== "GET" && !spec.isRead && !spec.isMerge && !isOpen(spec.keys);

/** Operations that pages of any origin may call. */
export const isOpenToBrowsers = ({ spec }: Endpoint): boolean => isOpen(spec.keys);

/** A path with `{name}` parameters in the router's spelling. */
export const fastifyPath = (path: string): string => path.replace(/\{(\w+)\}/g, ":$1");

export const KIB = 1_024;
export const DEFAULT_BODY_LIMIT = 8 * KIB;

/** An item with 4 KiB of free content and the longest ids takes 17.6 KiB where all of it is emoji that come as escapes. */
const ITEM_LIMIT = 18 * KIB;

/** The largest body of an operation, in bytes. A list of items has room for each by itself, however it is written, and for what stands around. */
export const bodyLimitOf = ({ bodyLimit, items }: Endpoint["spec"]): number =>
  bodyLimit ?? (items === undefined ? DEFAULT_BODY_LIMIT : (1 + items.max) * ITEM_LIMIT);

/** No character takes more than three times as many bytes as an escape than it takes as UTF-8, but for those of ASCII, which nothing escapes. */
const MOST_INFLATED = 3;

/** The largest body of an operation as it may come, in bytes: what is in it is measured when it is here. */
export const sentLimitOf = (spec: Endpoint["spec"]): number =>
  spec.items === undefined && !spec.countsEscapes && spec.upload === undefined
    ? MOST_INFLATED * bodyLimitOf(spec)
    : bodyLimitOf(spec);

import { operations } from "./generated/operations.ts";
import { operations as peopleOperations } from "./generated/people-operations.ts";
import type { operations as Contracts } from "./generated/schema.ts";

/** An operation that programs call with a key. */
type KeyOperationId = keyof typeof operations;
/** Any operation: people call many of those that programs call, too. */
export type OperationId = KeyOperationId | keyof typeof peopleOperations;

type JsonOf<R> = R extends { content: { "application/json": infer Body } }
  ? Body
  : R extends { content: Record<string, string> }
    ? Blob
    : never;
type Success<R> = 204 extends keyof R ? undefined : JsonOf<R[keyof R & (200 | 201)]>;

/** The body of a successful answer: a `Blob` where it is a file, undefined where it has none. */
export type Answer<Id extends OperationId> = Success<Contracts[Id]["responses"]>;

type ParametersOf<Id extends OperationId> = Contracts[Id]["parameters"];
type PathOf<Id extends OperationId> =
  ParametersOf<Id> extends { path: infer Path } ? { path: Path } : unknown;
type QueryOf<Id extends OperationId> =
  ParametersOf<Id> extends { query: infer Query }
    ? { query: Query }
    : ParametersOf<Id> extends { query?: infer Query }
      ? [Query] extends [undefined]
        ? unknown
        : { query?: Query }
      : unknown;
type BodyOf<Id extends OperationId> = Contracts[Id] extends {
  requestBody: { content: { "application/json": infer Body } };
}
  ? { body: Body }
  : unknown;

type HeadersOf<Id extends OperationId> =
  ParametersOf<Id> extends { header: infer Header } ? { headers: Header } : unknown;

/** The input of a call: path, query, body and headers of its contract, and further headers if needed. */
export type Input<Id extends OperationId> = PathOf<Id> &
  QueryOf<Id> &
  BodyOf<Id> &
  HeadersOf<Id> & { headers?: Record<string, string>; file?: Blob };

type AnyInput = {
  path?: Record<string, string | number>;
  query?: Record<string, unknown>;
  body?: unknown;
  headers?: Record<string, string>;
  file?: Blob;
};

/** A refusal of the API. */
export class TidingsError extends Error {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Headers;

  constructor(status: number, body: unknown, headers: Headers) {
    const message = typeof body === "object" && body !== null && "error" in body ? String(body.error) : "";
    super(message === "" ? `HTTP ${status}` : message);
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

type Call<Id extends OperationId> =
  Record<never, never> extends Input<Id>
    ? (input?: Input<Id>) => Promise<Answer<Id>>
    : (input: Input<Id>) => Promise<Answer<Id>>;

/** A method per operation, named by its operation id. */
export type Client = { [Id in KeyOperationId]: Call<Id> };
/** The same, with the operations of people. */
export type PeopleClient = { [Id in OperationId]: Call<Id> };

function addressOf(baseUrl: string, template: string, { path = {}, query = {} }: AnyInput): string {
  const filled = template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path[name] ?? ""));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value));
  return `${baseUrl}${filled}${search.size === 0 ? "" : `?${search}`}`;
}

function payloadOf({ body, file }: AnyInput): { headers: Record<string, string>; body?: string | FormData } {
  if (file !== undefined) {
    const form = new FormData();
    form.set("file", file);
    return { headers: {}, body: form };
  }
  if (body === undefined) return { headers: {} };
  return { headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
}

type Table = Readonly<Record<string, { method: string; path: string }>>;
type Sending = { baseUrl: string; headers: Readonly<Record<string, string>>; send: typeof fetch };

/** The methods of a table of operations. */
function methodsOf(table: Table, { baseUrl, headers, send }: Sending): unknown {
  const methods = Object.entries(table).map(([id, { method, path }]) => [
    id,
    async (input: AnyInput = {}): Promise<unknown> => {
      const payload = payloadOf(input);
      const response = await send(addressOf(baseUrl, path, input), {
        ...payload,
        method,
        headers: { ...headers, ...payload.headers, ...input.headers },
      });
      // A file is answered as it came. A browser keeps a large one on the disk, and one that was cut off is an error.
      if (response.ok && response.headers.has("content-disposition")) return response.blob();
      const text = await response.text();
      const answer: unknown = text === "" ? undefined : JSON.parse(text);
      if (!response.ok) throw new TidingsError(response.status, answer, response.headers);
      return answer;
    },
  ]);
  return Object.fromEntries(methods);
}

/**
 * A typed client of a Tidings server. Calls throw `TidingsError` when the API refuses.
 * @param baseUrl for example `http://127.0.0.1:8080`
 * @param key any key of a project; it decides which operations may be called
 * @param send how requests are sent, for callers that want to repeat or limit them
 */
export const createClient = (baseUrl: string, key: string, send: typeof fetch = fetch): Client =>
  methodsOf(operations, { baseUrl, headers: { authorization: `Bearer ${key}` }, send }) as Client;

/**
 * The same for a person who is signed in: the browser adds the cookie of the session.
 * @param baseUrl nothing in a page of the server itself
 * @param headers `X-Tidings-Project`, and what else every request has
 */
export const createPeopleClient = (
  baseUrl: string,
  headers: Readonly<Record<string, string>>,
  send: typeof fetch = fetch,
): PeopleClient =>
  methodsOf({ ...operations, ...peopleOperations }, { baseUrl, headers, send }) as PeopleClient;

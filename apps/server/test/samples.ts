import assert from "node:assert/strict";
import { z } from "zod";
import { endpoints, peopleEndpoints } from "../src/features.ts";
import {
  exampleOf,
  idsIn,
  type MadeIds,
  madeThingsRead,
  type Sample,
  type Spec,
  sampleFrom,
} from "./derived-samples.ts";
import type { SharedHouse, TestHouse, TestProject } from "./harness.ts";
import { asDevice, makeWorld, names, nowhere, type World } from "./project-world.ts";
import { ownSamples } from "./room-samples.ts";

/** What a request may carry, as `fetch` takes it. */
export type Payload = NonNullable<RequestInit["body"]>;

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
export const png = new Blob([PNG], { type: "image/png" });

/** A request of an operation with keys that succeeds. */
export const sampleOf = (spec: Spec, world: World): Sample => ({
  ...sampleFrom(spec, world, names, ownSamples[spec.id]?.(world) ?? {}),
  ...(spec.needsCapability ? { headers: asDevice } : {}),
  ...(spec.upload === undefined ? {} : { file: png }),
});

/** The example that the document gives of the body of an operation, about things that are there. */
export const exampleFor = (spec: Spec, world: World): Sample["body"] =>
  exampleOf(spec, world, names, ownSamples[spec.id]?.(world) ?? {});

/** The operation that makes the things of a list, as `POST /topics` does for `/topics/{id}`. */
export const makerOf = (list: string): Spec | undefined =>
  [...endpoints, ...peopleEndpoints].find(
    ({ spec: { method, path } }) =>
      method === "POST" && [list, list.replace("/api/people/", "/api/v1/")].includes(path),
  )?.spec;

/**
 * The operations that make what a request names and no world has, by what they make: each after those that it needs itself.
 * @param thingsOf which such things the request of an operation reads
 */
export function makersFor(
  spec: Spec,
  thingsOf: (spec: Spec) => ReadonlySet<string>,
  found = new Map<string, Spec>(),
): ReadonlyMap<string, Spec> {
  const lists = new Map(idsIn(spec).map(({ thing, list }) => [thing, list]));
  for (const thing of thingsOf(spec)) {
    const maker = found.has(thing) ? undefined : makerOf(lists.get(thing) ?? `/api/v1/${thing}`);
    if (maker === undefined || maker === spec) continue;
    makersFor(maker, thingsOf, found);
    found.set(thing, maker);
  }
  return found;
}

const Named = z.object({ id: z.string() });

/** Makes things by these operations, in their order. `make` sends the request of one, which may name what was made before. */
export async function makeBy(
  makers: ReadonlyMap<string, Spec>,
  make: (maker: Spec, made: MadeIds) => Promise<Answered>,
): Promise<MadeIds> {
  const made: Record<string, string> = {};
  for (const [thing, maker] of makers) {
    const { status, text } = await make(maker, made);
    assert.ok(status < 300, `${maker.id} makes what others name: ${text}`);
    const named = Object.values(JSON.parse(text)).find((each) => Named.safeParse(each).success);
    assert.ok(named !== undefined, `${maker.id} answers no id`);
    made[thing] = Named.parse(named).id;
  }
  return made;
}

const requestsOf = (spec: Spec, world: World) => [sampleOf(spec, world), exampleFor(spec, world)];

/** What the requests of an operation with keys read of things that operations make. */
export const thingsOf = (spec: Spec): Set<string> =>
  madeThingsRead(nowhere, (world) => requestsOf(spec, world));

/** The world with what these operations make in it. */
async function withMade(
  house: TestHouse,
  project: TestProject,
  world: World,
  makers: ReadonlyMap<string, Spec>,
): Promise<World> {
  const made = await makeBy(makers, (maker, before) =>
    send(house, maker, { ...sampleOf(maker, { ...world, made: before }), key: keyOf(project, maker) }),
  );
  return { ...world, made };
}

/**
 * A world of a project with what the sample of an operation names, and the example of its body.
 * @param more makes further requests of it
 */
export async function worldFor(
  house: TestHouse,
  project: TestProject,
  spec: Spec,
  more: (world: World) => unknown = () => [],
): Promise<World> {
  const makers = makersFor(spec, thingsOf);
  const all = [spec, ...makers.values()];
  const world = await makeWorld(house, project, (each) => [
    ...all.map((one) => requestsOf(one, each)),
    more(each),
  ]);
  return withMade(house, project, world, makers);
}

/** A world of a project with everything that requests name. */
export async function wholeWorld(house: TestHouse, project: TestProject): Promise<World> {
  const makers = new Map(endpoints.flatMap(({ spec }) => [...makersFor(spec, thingsOf)]));
  return withMade(house, project, await makeWorld(house, project), makers);
}

const ErrorBody = z.object({ error: z.string().min(1) });

export type Answered = { status: number; headers: Headers; text: string };

type Sent = Sample & {
  key?: string | undefined;
  method?: string;
  /** Sent as it is, instead of a JSON body. */
  raw?: Payload;
};

export function addressOf(spec: Spec, { path = {}, query = {} }: Sample): string {
  const filled = spec.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path[name] ?? ""));
  const search = new URLSearchParams(query).toString();
  return search === "" ? filled : `${filled}?${search}`;
}

function payloadOf({ raw, file, body }: Sent): { body: Payload | null; type: Record<string, string> } {
  const json = { "content-type": "application/json" };
  if (raw !== undefined) return { body: raw, type: raw instanceof FormData ? {} : json };
  if (file !== undefined) {
    const form = new FormData();
    form.set("file", file);
    return { body: form, type: {} };
  }
  return body === undefined ? { body: null, type: {} } : { body: JSON.stringify(body), type: json };
}

const seenRequestIds = new Set<string>();

/** Checks what is true of every answer, whatever it says. */
async function checked(response: Response): Promise<Answered> {
  const { status, headers } = response;
  const text = await response.text();
  assert.ok(status < 500 || status === 501, `${status}: ${text}`);
  assert.equal(headers.get("x-api-version"), "2026-08-22");
  assert.equal(headers.get("x-content-type-options"), "nosniff");
  assert.equal(headers.get("cache-control"), "no-store");
  assert.equal(headers.get("referrer-policy"), "no-referrer");
  for (const name of ["server", "x-powered-by"]) assert.equal(headers.get(name), null);
  const id = headers.get("x-request-id");
  assert.ok(id && !seenRequestIds.has(id), `X-Request-Id is ${id}`);
  seenRequestIds.add(id);
  const isFile = headers.has("content-disposition");
  if (text !== "" && !isFile) assert.match(headers.get("content-type") ?? "", /^application\/json/);
  if (status >= 400 && text !== "") {
    ErrorBody.parse(JSON.parse(text));
    assert.doesNotMatch(text, /\bat .+:\d+:\d+|node_modules|\bselect\b.+\bfrom\b|SQLSTATE/i);
  }
  return { status, headers, text };
}

/** One request, as it is; checks what is true of every answer. */
export async function request(url: string, init: RequestInit & { duplex?: "half" } = {}): Promise<Answered> {
  return checked(await fetch(url, init));
}

/** Sends a request of an operation. */
export function send(house: SharedHouse, spec: Spec, sent: Sent): Promise<Answered> {
  const { body, type } = payloadOf(sent);
  return request(house.url + addressOf(spec, sent), {
    method: sent.method ?? spec.method,
    body,
    headers: {
      ...(sent.key === undefined ? {} : { authorization: `Bearer ${sent.key}` }),
      ...type,
      ...sent.headers,
    },
  });
}

/** A key with which an operation can be called, of those that each project has. */
export function keyOf(project: TestProject, { id, keys }: Spec): string {
  const kind = keys.find((each) => each !== "send");
  if (kind === undefined) throw new Error(`${id} is called by people alone, or with a send key alone.`);
  return project[`${kind}Key`];
}

/** The body of a refusal of source work. */
const SourceRefusal = z.strictObject({
  ok: z.literal(false),
  status: z.int(),
  error: z.string(),
  retryAfterMs: z.int().min(0).optional(),
});

/** Fails unless the answer is this refusal with the standard body, or with that of source work. */
export function assertRefused(answer: Answered, status: number, error?: string | RegExp): void {
  assert.equal(answer.status, status, answer.text);
  const body = z.union([z.strictObject({ error: z.string() }), SourceRefusal]).parse(JSON.parse(answer.text));
  if ("status" in body) assert.equal(body.status, status);
  if (typeof error === "string") assert.equal(body.error, error);
  else if (error !== undefined) assert.match(body.error, error);
}

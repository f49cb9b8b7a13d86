import assert from "node:assert/strict";
import { z } from "zod";
import { endpoints, peopleEndpoints } from "../src/features.ts";
import { exampleOf, idsIn, type Names, type Sample, type Spec, sampleFrom } from "./derived-samples.ts";
import type { SharedHouse, TestHouse, TestProject } from "./harness.ts";
import { asDevice, makeWorld, names, type World } from "./project-world.ts";
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

const Made = z.record(z.string(), z.object({ id: z.string() }));

/** Makes what a request names and no world has, by the operations that make such things. Answers their ids. */
export async function makeNamed(
  spec: Spec,
  things: Names<never>["things"],
  make: (maker: Spec) => Promise<Answered>,
): Promise<Record<string, string>> {
  const made: Record<string, string> = {};
  for (const { thing, list } of idsIn(spec)) {
    const maker = thing in things ? undefined : makerOf(list);
    if (maker === undefined) continue;
    const { status, text } = await make(maker);
    assert.ok(status < 300, `${maker.id} makes what ${spec.id} names: ${text}`);
    const [thingMade = assert.fail(`${maker.id} answers no id`)] = Object.values(
      Made.parse(JSON.parse(text)),
    );
    made[thing] = thingMade.id;
  }
  return made;
}

/** Sends the sample of an operation with keys, in a world that is made for it. */
export async function sendSample(house: TestHouse, project: TestProject, spec: Spec): Promise<Answered> {
  const sample = sampleOf(spec, await worldFor(house, project, spec));
  return send(house, spec, { ...sample, key: keyOf(project, spec) });
}

const madeFor = (house: TestHouse, project: TestProject, spec: Spec): Promise<World["made"]> =>
  makeNamed(spec, names.things, (maker) => sendSample(house, project, maker));

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
  const world = await makeWorld(house, project, (each) => [
    sampleOf(spec, each),
    exampleFor(spec, each),
    more(each),
  ]);
  return { ...world, made: await madeFor(house, project, spec) };
}

/** A world of a project with everything that requests name. */
export async function wholeWorld(house: TestHouse, project: TestProject): Promise<World> {
  const world = await makeWorld(house, project);
  const made: Record<string, string> = {};
  for (const { spec } of endpoints) Object.assign(made, await madeFor(house, project, spec));
  return { ...world, made };
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

/** A key with which an operation can be called. */
export function keyOf(project: TestProject, { id, keys: [kind] }: Spec): string {
  if (kind === undefined) throw new Error(`${id} is called by people alone.`);
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

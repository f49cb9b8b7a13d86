/**
 * The most expensive requests that are known, of every operation: each as large as its limits allow. Deterministic: the suite sends all
 * of them once and looks at the answers, `bench/cost.ts` measures what they cost.
 */
import { endpoints } from "../../src/features.ts";
import { bodyLimitOf } from "../../src/platform/http/contract/endpoint.ts";
import { fieldsOf, type Spec } from "../derived-samples.ts";
import { asDevice } from "../project-world.ts";

/** Keys of a project, and things of it that requests name. */
export type CostWorld = { publishableKey: string; secretKey: string; agentKey?: string };

/** A request whose cost is looked at. `statuses` are those that it may be answered with. */
export type Shape = {
  operation: string;
  name: string;
  method: string;
  path: string;
  headers: Readonly<Record<string, string>>;
  key: "publishable" | "secret" | null;
  body: string | Buffer | null;
  statuses: readonly number[];
};

const NOWHERE = "019b0000-0000-7000-8000-000000000000";

/** `unit` as often as it fits into `length` characters. */
const fill = (unit: string, length: number): string => unit.repeat(Math.floor(length / unit.length));
const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
const name128 = (index: number): string => `${"n".repeat(118)}${String(index).padStart(10, "z")}`;

const json = (body: unknown): string => JSON.stringify(body);

/** JSON of a size that is hard to read, whatever it is for. */
function hardJson(size: number): [name: string, body: string][] {
  return [
    ["deep lists", `${"[".repeat(size / 2)}${"]".repeat(size / 2)}`],
    ["deep objects", `${fill('{"a":', size - size / 6)}1${"}".repeat(size / 6)}`],
    ["many keys", `{${times(Math.floor(size / 12), (i) => `"${String(i).padStart(6, "k")}":0`).join()}}`],
    ["one string", json({ a: fill("x", size - 20) })],
    ["escapes", `{"a":"${fill("\\ud83c\\udf89", size - 20)}"}`],
    ["a number of many digits", `{"a":${fill("9", size - 20)}}`],
  ];
}

const pathOf = (spec: Spec): string => spec.path.replace(/\{\w+\}/g, fill("a", 256));
const keyOf = (spec: Spec): "publishable" | "secret" =>
  spec.keys.includes("publishable") ? "publishable" : "secret";

/** Refusals and successes alike: what matters here is that there is an answer and what it costs. */
const ANY = [200, 201, 204, 400, 401, 403, 404, 405, 409, 413, 415, 422, 501, 503];

/** What every operation can be sent. */
function general(spec: Spec): Shape[] {
  const common = { operation: spec.id, method: spec.method, key: keyOf(spec), statuses: ANY };
  const headers = spec.needsCapability ? asDevice : {};
  const found: Shape[] = [{ ...common, name: "long ids", path: pathOf(spec), headers, body: null }];
  for (const value of ["%25_%5C", "a%20", "(", "%F0%9F%8E%89"]) {
    const query = fieldsOf(spec.query).map((name) => `${name}=${fill(value, 1_200)}`);
    if (query.length > 0)
      for (const one of query)
        found.push({
          ...common,
          name: `query ${one.slice(0, 20)}`,
          path: `${pathOf(spec)}?${one}`,
          headers,
          body: null,
        });
  }
  if (spec.body === undefined) return found;
  const size = bodyLimitOf(spec) - 64;
  const typed = { ...headers, "content-type": "application/json" };
  for (const [name, body] of hardJson(size))
    found.push({ ...common, name, path: pathOf(spec), headers: typed, body });
  for (const field of fieldsOf(spec.body))
    for (const [name, value] of [
      ["long", fill("x", size - 64)],
      ["list of", times(Math.floor(size / 3), () => 0)],
      ["list of objects as", times(Math.floor(size / 4), () => ({}))],
    ] as const)
      found.push({
        ...common,
        name: `${name} ${field}`,
        path: pathOf(spec),
        headers: typed,
        body: json({ [field]: value }),
      });
  return found;
}

const post = (
  operation: string,
  path: string,
  key: "publishable" | "secret",
  name: string,
  body: unknown,
  status: number,
): Shape => ({
  operation,
  name,
  method: "POST",
  path,
  key,
  statuses: [status],
  headers: { "content-type": "application/json" },
  body: json(body),
});

const mail = (body: string, more: object = {}) => ({ subject: "s", body, ...more });
const campaign = (name: string, message: object, status: number): Shape =>
  post(
    "createCampaign",
    "/api/v1/campaigns",
    "secret",
    name,
    { name: "c", channel: "email", message },
    status,
  );
const variants = (name: string, body: string, count: number, status: number): Shape =>
  post(
    "createCampaign",
    "/api/v1/campaigns",
    "secret",
    `${count} variants of ${name}`,
    { name: "c", channel: "email", variants: times(count, (i) => ({ name: `${i}`, message: mail(body) })) },
    status,
  );

const PROSE = "Lorem **ipsum** dolor _sit_ amet, [consetetur](https://a.example/x) sadipscing elitr & more. ";
/** Markdown that is taken, and as much of it as the bounds allow. */
const heaviest: readonly [string, string][] = [
  ["prose", fill(`${fill(PROSE, 1_500)}\n\n`, 24_000)],
  ["entries of a list", fill("- aaaaaaaaaaa\n", 21_000)],
  ["lazy lines in nested lists", `${"- ".repeat(7)}a\n${"aaaa bbbb cccc dd\n".repeat(1_300)}`],
  ["headings", fill("# aaaaaaaaaaaaa\n", 23_000)],
  ["brackets", fill("[ ", 24_900)],
  ["backticks", fill("`a ", 24_900)],
  ["angles", fill("<a ", 24_900)],
  ["a word", fill("a", 24_900)],
  ["exclamation marks", fill("!", 24_900)],
  ["exclamation marks within a word", fill("a!", 24_900)],
  ["beginnings of addresses", fill("http", 24_900)],
  ["escapes", fill("\\* ", 2_400)],
  ["emphasis", fill("*a b* ", 2_400)],
  ["tables", `|${"a|".repeat(10)}\n|${"-|".repeat(10)}\n${`|${"b|".repeat(10)}\n`.repeat(190)}`],
  ["fields", fill("{{ user.a | upcase | append: 'b' }} ", 17_900)],
];

/** Markdown and fields that are refused, before anything is made of them. */
const refused: readonly [string, string][] = [
  ["lazy lines", `- ${fill("a\n", 49_000)}`],
  ["a bare link that ends in parentheses", `http://a${fill(")", 49_000)}`],
  ["a bare link that ends in entities", `http://a${fill("&a;", 49_000)}`],
  ["marks of lists", fill("+ ", 49_900)],
  ["quotes", fill(">", 49_900)],
  ["emphasis", fill("_a", 49_900)],
  ["emphasis that is closed late", `${fill("*a ", 2_900)}${fill("x", 40_000)}${fill(" b*", 2_900)}`],
  ["wide tables", `${fill("|a", 1_000)}\n${fill("|-", 1_000)}\n${fill("|\n", 40_000)}`],
  [
    "filters that replace",
    `{{ user.x | default: "${fill("a", 20_000)}" | replace: "a", "aaaaaaaaaa" | remove_last: "${fill("a", 20_000)}b" }}`,
  ],
  ["many fields", fill("{{user.a}}", 49_900)],
  ["open fields", fill("{{", 49_900)],
  ["quotes in a field", `{{ user["${fill("\\", 49_000)}`],
];

const group = (kind: string, children: readonly unknown[]) => ({ kind, children });
const tree = (leaf: (index: number) => unknown) => ({
  version: 1,
  root: group(
    "any",
    times(4, (i) =>
      group(
        "any",
        times(14, (j) => leaf(i * 14 + j)),
      ),
    ),
  ),
});
const trait = (key: string, more: object) => ({ kind: "field", field: { kind: "trait", key }, ...more });
const members = times(50, (i) => fill("m", 150) + i);

const trees: readonly [string, unknown][] = [
  ["unknown names", tree((i) => trait(`cd${name128(i).slice(2)}`, { op: "exists" }))],
  ["unknown events", tree((i) => ({ kind: "event", event: `cd${name128(i).slice(50)}` }))],
  ["texts that are looked for", tree((i) => trait(`a${i}`, { op: "contains", value: fill("a", 800) }))],
  [
    "lists",
    {
      version: 1,
      root: group(
        "any",
        times(6, (i) => trait(`a${i}`, { op: "in", value: members })),
      ),
    },
  ],
];

const getShape = (
  path: string,
  key: "publishable" | "secret" | null,
  operation: string,
  name: string,
): Shape => ({
  operation,
  name,
  method: "GET",
  path,
  key,
  headers: {},
  body: null,
  statuses: ANY,
});

function particular(): Shape[] {
  const identify = (name: string, traits: unknown): Shape =>
    post("identify", "/api/v1/identify", "publishable", name, { userId: `u-${name}`, traits }, 200);
  const events = (name: string, make: (index: number) => object, status = 200): Shape =>
    post("trackBatch", "/api/v1/track/batch", "secret", name, { events: times(500, make) }, status);
  const calls = (name: string, count: number, make: (index: number) => object): Shape =>
    post("sendCalls", "/v1/batch", "publishable", name, { batch: times(count, make) }, 200);
  return [
    calls("2,500 calls of many users", 2_500, (i) => ({
      type: i % 2 === 0 ? "track" : "identify",
      userId: `c${i}`,
      event: `e${i % 50}`,
      timestamp: "2026-11-28T08:59:59.500Z",
      context: { library: { name: `library ${i}` } },
      [i % 2 === 0 ? "properties" : "traits"]: { a: fill("x", 1_300), [`k${i}`]: i },
    })),
    calls("a call with 190,000 properties", 1, () => ({
      type: "track",
      userId: "c",
      event: "e",
      properties: Object.fromEntries(times(190_000, (i) => [`k${i}`, i])),
    })),
    calls("900 calls that are trimmed", 900, (i) => ({
      type: "track",
      userId: `c${i}`,
      event: "e",
      properties: Object.fromEntries(times(130, (k) => [`k${i}-${k}`, fill("é", 9)])),
    })),
    identify("many traits", Object.fromEntries(times(190, (i) => [`t${i}`, i]))),
    identify("a deep trait", { a: JSON.parse(`${"[".repeat(50)}${"]".repeat(50)}`) }),
    events("500 events of one user", (i) => ({
      userId: "u",
      event: `e${i % 50}`,
      props: { a: fill("x", 1_500) },
    })),
    events("500 events of many users", (i) => ({ userId: `u${i}`, event: `e${i}`, props: { [`k${i}`]: i } })),
    events("events with many properties", (i) => ({
      userId: "w",
      event: `w${i}`,
      props: Object.fromEntries(times(120, (j) => [`p${i}-${j}`, j])),
    })),
    ...heaviest.map(([name, body]) => campaign(name, mail(body), 201)),
    ...heaviest.map(([name, body]) => variants(name, body, 10, 201)),
    ...refused.map(([name, body]) => campaign(name, mail(body), 400)),
    campaign("a long filter of dates", mail(`{{ user.a | date: "${fill("%c", 190)}" }}`), 201),
    post(
      "createCampaign",
      "/api/v1/campaigns",
      "secret",
      "patterns of pages",
      {
        name: "c",
        message: { presentation: "toast", title: "a" },
        pages: times(20, (i) => `/${fill("*a", 240)}${i}`),
        launch: true,
      },
      201,
    ),
    getShape(
      `/api/v1/messages?userId=u&entryId=e&requestId=r&path=/${fill("a", 2_000)}`,
      "publishable",
      "getMessages",
      "a long path for patterns",
    ),
    ...trees.flatMap(([name, expression]) => [
      post("checkAudience", "/api/v1/audiences/check", "secret", name, { expression }, 200),
      post("explainAudience", "/api/v1/audiences/explain", "secret", name, { userId: "u", expression }, 200),
    ]),
    getShape("/api/v1/audiences/capabilities", "secret", "getAudienceCapabilities", "of a large vocabulary"),
    getShape("/api/v1/users?perPage=100", "secret", "listUsers", "a full page"),
    getShape("/api/v1/events?perPage=100", "secret", "listEvents", "a full page"),
    getShape("/api/v1/campaigns?perPage=100", "secret", "listCampaigns", "a full page"),
    ...[
      ["addresses", `Cc: ${fill("g:", 60_000)}\r\n\r\n`],
      ["tokens", fill(`<${"A".repeat(65)}@`, 262_000)],
      ["parts", `Content-Type: multipart/mixed; boundary=b\r\n\r\n${fill("--b\r\n\r\nx\r\n", 262_000)}`],
      ["quoted-printable", `Content-Transfer-Encoding: quoted-printable\r\n\r\n${fill("=00", 262_000)}`],
    ].map(
      ([name = "", body = ""]): Shape => ({
        operation: "hooks/email/inbound",
        name,
        method: "POST",
        path: "/hooks/email/inbound",
        headers: { "content-type": "message/rfc822" },
        key: null,
        body,
        statuses: [401],
      }),
    ),
    {
      operation: "hooks/email/{provider}",
      name: "deep JSON",
      method: "POST",
      path: `/hooks/email/mailgun/${NOWHERE}`,
      headers: { "content-type": "application/json" },
      key: null,
      body: fill("[", 1_000_000),
      statuses: [401],
    },
    getShape(`/e/${fill("A", 2_000)}/click?to=${fill("a", 4_000)}&s=x`, null, "e/{token}/click", "long"),
  ];
}

/** All shapes, those of every operation first. */
export const costShapes = (): Shape[] => [
  ...endpoints.filter(({ spec }) => spec.upload === undefined).flatMap(({ spec }) => general(spec)),
  ...particular(),
];

/** Requests that fill a project with names, so that the shapes meet a large vocabulary. */
export const fillers = (): Shape[] => [
  // The user whom others of the requests are about, whichever of them are sent.
  post("identify", "/api/v1/identify", "publishable", "filler", { userId: "u", traits: {} }, 200),
  ...times(180, (user) =>
    post(
      "identify",
      "/api/v1/identify",
      "publishable",
      "filler",
      {
        userId: `f${user % 30}-${Math.floor(user / 30)}`,
        traits: Object.fromEntries(times(27, (i) => [name128(user * 27 + i), i])),
      },
      200,
    ),
  ),
  ...times(8, (round) =>
    post(
      "trackBatch",
      "/api/v1/track/batch",
      "secret",
      "filler",
      {
        events: times(500, (i) => ({
          userId: `f${i}`,
          event: name128(round * 500 + i).slice(50),
          props: { [`p${i}`]: i },
        })),
      },
      200,
    ),
  ),
];

/** Sends a shape; answers the status, and the answer's text where that is a refusal. */
export async function sendShape(
  url: string,
  keys: CostWorld,
  { method, path, headers, key, body }: Shape,
): Promise<{ status: number; text: string }> {
  const authorization = key === null ? {} : { authorization: `Bearer ${keys[`${key}Key`]}` };
  const answer = await fetch(url + path, {
    method,
    redirect: "manual",
    headers: { ...headers, ...authorization },
    ...(body === null ? {} : { body: typeof body === "string" ? body : new Uint8Array(body) }),
  });
  return { status: answer.status, text: await answer.text() };
}

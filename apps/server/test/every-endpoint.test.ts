import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { endpoints } from "../src/features.ts";
import { defaultBudgets } from "../src/platform/http/budgets/budget.ts";
import {
  bodyLimitOf,
  isManagementWrite,
  type KeyKind,
  sentLimitOf,
  successStatus,
} from "../src/platform/http/contract/endpoint.ts";
import { contentsOf } from "./contents.ts";
import { anotherBody, fieldsOf, idsIn } from "./derived-samples.ts";
import { setSettings } from "./email.ts";
import { mirrorsFolder } from "./from-code.ts";
import { richer } from "./fuzz/richer.ts";
import { type TestProject, testHouse } from "./harness.ts";
import { keyOfKind } from "./keys.ts";
import { BELIEVED_MS, hashOf, secretOf } from "./perimeter.ts";
import { nowhere, type World } from "./project-world.ts";
import { ownSamples } from "./room-samples.ts";
import {
  addressOf,
  assertRefused,
  exampleFor,
  keyOf,
  type Payload,
  png,
  request,
  sampleOf,
  send,
  wholeWorld,
  worldFor,
} from "./samples.ts";

// What only an operator of a managed service has is tried as well.
const managed = { dataDir: mirrorsFolder(), mode: "managed", sourcesPrivate: true } as const;
const house = testHouse(managed);
const LIMIT = 3;
const limited = testHouse({
  ...managed,
  rateLimits: Object.fromEntries(Object.keys(defaultBudgets).map((name) => [name, LIMIT])),
});

const KINDS: readonly KeyKind[] = ["publishable", "secret", "agent", "send"];
const UNKNOWN_KEYS = [
  `pk_${"A".repeat(32)}`,
  `pk_pub_${"A".repeat(32)}`,
  `pk_agent_${"A".repeat(32)}`,
  `pk_send_${"A".repeat(32)}`,
  "nonsense",
];
const DEEP = `{"deep":${"[".repeat(10_000)}${"]".repeat(10_000)}}`;
const NUL = "\\u0000";
const LONE_SURROGATE = "\\ud800";

/** Fields whose objects are the customer's own. */
const FREE: ReadonlySet<string> = new Set([
  "guardrails",
  "input",
  "output",
  "traits",
  "data",
  "request",
  "response",
]);

type Stray = { at: string; body: Readonly<Record<string, unknown>> };

/** A body once for each object in it, with a field there that no schema names. */
function withStrayField(value: object, at = "body"): Stray[] {
  const own = Array.isArray(value) ? [] : [{ at, body: { ...value, unknwon: 1 } }];
  const inside = Object.entries(value).flatMap(([name, child]) =>
    FREE.has(name) || typeof child !== "object" || child === null
      ? []
      : withStrayField(child, `${at}.${name}`).map((stray) => ({
          at: stray.at,
          // A list stays one, whatever its members.
          body: Object.assign(Array.isArray(value) ? [...value] : { ...value }, { [name]: stray.body }),
        })),
  );
  return [...own, ...inside];
}

type Shared = { project: TestProject; world: World };
let making: Promise<Shared> | undefined;
/** One project with things in it, for requests that change nothing that another looks at. */
const shared = (): Promise<Shared> =>
  (making ??= house
    .project()
    .then(async (project) => ({ project, world: await wholeWorld(house, project) })));

for (const endpoint of endpoints) {
  const { spec } = endpoint;
  const openToBrowsers = spec.keys.includes("publishable");
  const bodyLimit = bodyLimitOf(spec);
  /** What libraries of other services send is read whatever it is: their calls are judged one by one. */
  const takesForeign = spec.takesForeign !== undefined;

  describe(spec.id, () => {
    it("answers every kind of key that may call it, and no other", async () => {
      for (const kind of KINDS) {
        // One of its own where it changes something.
        const changes = spec.method !== "GET" && spec.keys.includes(kind);
        const own = changes ? await house.project() : (await shared()).project;
        const world = changes ? await worldFor(house, own, spec) : (await shared()).world;
        const key = await keyOfKind(house, own, kind);
        const answer = await send(house, spec, { ...sampleOf(spec, world), key });
        if (spec.keys.includes(kind)) {
          assert.equal(answer.status, successStatus(spec), answer.text);
          assert.doesNotMatch(answer.text, /"ok":false/);
        } else
          assertRefused(
            answer,
            403,
            `This takes the ${spec.keys.join(" or the ")} key of the project, and the ${kind} key was sent.`,
          );
        assert.equal(answer.headers.get("access-control-allow-origin"), openToBrowsers ? "*" : null);
        const policy = openToBrowsers ? "cross-origin" : "same-origin";
        assert.equal(answer.headers.get("cross-origin-resource-policy"), policy);
      }
    });

    // Where the room says no other body, the example is what all requests here send.
    if (ownSamples[spec.id]?.(nowhere).body !== undefined) {
      it("accepts the example that the document gives", async () => {
        const own = await house.project();
        const world = await worldFor(house, own, spec);
        const body = exampleFor(spec, world);
        assert.ok(body, "give the operation an example of its body");
        const { status, text } = await send(house, spec, {
          ...sampleOf(spec, world),
          body,
          key: keyOf(own, spec),
        });
        assert.equal(status, successStatus(spec), text);
        assert.doesNotMatch(text, /"ok":false/);
      });
    }

    it("is closed to no key and to unknown ones", async () => {
      const { project, world } = await shared();
      for (const key of [undefined, ...UNKNOWN_KEYS]) {
        const answer = await send(house, spec, { ...sampleOf(spec, world), key });
        assertRefused(answer, 401, "Unauthorized");
        assert.equal(answer.headers.get("access-control-allow-origin"), openToBrowsers ? "*" : null);
      }
      const basic = { authorization: `Basic ${keyOf(project, spec)}` };
      assertRefused(await send(house, spec, { ...sampleOf(spec, world), headers: basic }), 401);
    });

    if (openToBrowsers) {
      it("is closed to pages of other origins where the project lists its own", async () => {
        const own = await house.project();
        await setSettings(house, own, { "origins.allowed": "https://shop.example" });
        const ask = (origin: string) => {
          const given = sampleOf(spec, nowhere);
          const headers = { ...given.headers, origin };
          return send(house, spec, { ...given, headers, key: keyOf(own, spec) });
        };
        const refused = await ask("https://evil.example");
        assertRefused(refused, 403, "Pages of this origin may not use this key (origins.allowed).");
        assert.equal(refused.headers.get("access-control-allow-origin"), null);
        const read = await ask("https://shop.example");
        assert.notEqual(read.status, 403);
        assert.equal(read.headers.get("access-control-allow-origin"), "https://shop.example");
      });

      // A caller with the public key may invent events, but may not act as a user.
      const speaksOfUser =
        !takesForeign && [...fieldsOf(spec.query), ...fieldsOf(spec.body)].includes("userId");
      it(`${speaksOfUser && spec.id !== "track" ? "asks" : "does not ask"} for proof of a user`, async () => {
        assert.equal(spec.identifies !== undefined, speaksOfUser && spec.id !== "track");
        const own = await house.project();
        const world = await worldFor(house, own, spec);
        const secret = await secretOf(house, own);
        await setSettings(house, own, { "identity.required": "true" });
        house.advance(BELIEVED_MS);
        const given = sampleOf(spec, world);
        const key = keyOf(own, spec);
        if (spec.identifies !== undefined) {
          assertRefused(await send(house, spec, { ...given, key }), 401, "Could not identify user");
          const headers = { ...given.headers, "x-user-hash": hashOf(secret, "bob") };
          assertRefused(await send(house, spec, { ...given, headers, key }), 401, "Could not identify user");
        }
        const headers = { ...given.headers, "x-user-hash": hashOf(secret, world.userId) };
        const answer = await send(house, spec, { ...given, headers, key });
        assert.equal(answer.status, successStatus(spec), answer.text);
      });
    }

    // The end of a path that chooses between forms of the answer names nothing.
    if (spec.params !== undefined && spec.downloads === undefined && !takesForeign) {
      it("finds ids of its own project only", async () => {
        const { project, world } = await shared();
        const stranger = keyOf(await house.project(), spec);
        const given = sampleOf(spec, world);
        const missing = sampleOf(spec, nowhere);
        assertRefused(await send(house, spec, { ...given, key: stranger }), 404, /not found$/);
        const key = keyOf(project, spec);
        assertRefused(
          await send(house, spec, { ...given, path: missing.path ?? {}, key }),
          404,
          /not found$/,
        );
        for (const { name } of idsIn(spec)) {
          const sendWith = (value: string) =>
            send(house, spec, { ...given, path: { ...given.path, [name]: value }, key });
          assertRefused(await sendWith("x".repeat(128)), 404, /not found$/);
          assertRefused(
            await sendWith("x".repeat(257)),
            400,
            new RegExp(`^${name} must be at most \\d+ characters$`),
          );
          assertRefused(
            await sendWith("x".repeat(6_000)),
            400,
            new RegExp(`^${name} must be at most \\d+ characters$`),
          );
          assertRefused(await sendWith("\0"), 400, /NUL/);
          assertRefused(await sendWith("💥"), 404);
          const broken = addressOf(spec, { ...given, path: { ...given.path, [name]: "@" } }).replace(
            "%40",
            "%ED%A0%80",
          );
          const answer = await request(house.url + broken, {
            method: spec.method,
            headers: { authorization: `Bearer ${key}` },
          });
          assertRefused(answer, 400);
        }
      });
    }

    if (spec.query === undefined) {
      it("does not look at a query, which it does not read", async () => {
        const { project } = await shared();
        const url = addressOf(spec, sampleOf(spec, nowhere));
        const init = { method: spec.method, headers: { authorization: `Bearer ${keyOf(project, spec)}` } };
        const plain = await request(house.url + url, init);
        const odd = await request(`${house.url}${url}?%00=%00`, init);
        assert.deepEqual([odd.status, odd.text], [plain.status, plain.text]);
      });
    }

    for (const field of fieldsOf(spec.query)) {
      it(`refuses NUL and repetition in ${field}`, async () => {
        const { project, world } = await shared();
        const given = sampleOf(spec, world);
        const key = keyOf(project, spec);
        const bad = { ...given, query: { ...given.query, [field]: "a\0b" } };
        assertRefused(await send(house, spec, { ...bad, key }), 400, new RegExp(field));
        const twice = addressOf(spec, { ...given, query: { ...given.query, [field]: "1" } }) + `&${field}=2`;
        assertRefused(
          await request(house.url + twice, { headers: { authorization: `Bearer ${key}` } }),
          400,
          new RegExp(`^${field} must be`),
        );
      });
    }

    if (spec.body !== undefined) {
      const post = async (raw: Payload, headers = {}) => {
        const { project, world } = await shared();
        const given = sampleOf(spec, world);
        const key = keyOf(project, spec);
        return send(house, spec, { ...given, raw, headers: { ...given.headers, ...headers }, key });
      };

      it("refuses what is not a JSON object", async () => {
        for (const raw of ["{", "{]", "nope", "{'a': 1}", '{"a":1,}']) {
          assertRefused(await post(raw), 400, "body must be valid JSON");
        }
        const inDisguise = await post('{"__proto__":{"a":1}}');
        // Of what cannot be sent otherwise, a part that must not be taken is left out.
        if (takesForeign) assert.doesNotMatch(inDisguise.text, /JSON/);
        else assertRefused(inDisguise, 400, "body must be valid JSON");
        for (const raw of ["[]", "[{}]", "null", '"text"', "1", ""]) {
          assertRefused(await post(raw), 400, "body must be a JSON object");
        }
        assertRefused(await post(new Uint8Array([0x22, 0xff, 0x22])), 400, "body must be UTF-8");
        const { project, world } = await shared();
        const { body: _, ...bare } = sampleOf(spec, world);
        assertRefused(
          await send(house, spec, { ...bare, key: keyOf(project, spec) }),
          400,
          "body must be a JSON object",
        );
      });

      it(`${takesForeign ? "reads" : "refuses"} another Content-Type`, async () => {
        const { world } = await shared();
        const body = JSON.stringify(sampleOf(spec, world).body);
        for (const type of [
          "text/plain",
          "application/x-www-form-urlencoded",
          "application/xml",
          "nonsense",
        ]) {
          const answer = await post(body, { "content-type": type });
          if (takesForeign) assert.equal(answer.status, 200);
          else assertRefused(answer, 400, "Content-Type must be application/json");
        }
        const form = new FormData();
        form.set("file", png);
        assertRefused(await post(form), 400);
      });

      it("reads a body up to its limit, and no byte more", async () => {
        const { project, world } = await shared();
        const body = JSON.stringify(sampleOf(spec, nowhere).body);
        const tooLarge = new RegExp(`^Request body too large: at most ${bodyLimit} bytes`);
        assert.notEqual((await post(body.padEnd(bodyLimit))).status, 413);
        assertRefused(await post(body.padEnd(bodyLimit + 1)), 413, tooLarge);
        const stream = new Blob([body.padEnd(bodyLimit + 1)]).stream();
        const answer = await request(house.url + addressOf(spec, sampleOf(spec, world)), {
          method: spec.method,
          body: stream,
          duplex: "half",
          headers: { authorization: `Bearer ${keyOf(project, spec)}`, "content-type": "application/json" },
        });
        assertRefused(answer, 413, tooLarge);
        if (sentLimitOf(spec) === bodyLimit) return;
        const escaped = (characters: number) => `{"x":"${"\\u0441".repeat(characters)}"}`;
        const most = Math.floor((bodyLimit - escaped(0).length) / 2);
        assert.notEqual((await post(escaped(most))).status, 413);
        assertRefused(await post(escaped(most + 1)), 413, tooLarge);
        assertRefused(await post(escaped(bodyLimit)), 413, tooLarge);
      });

      it("refuses a body of 10,000 levels", async () => {
        if (DEEP.length > bodyLimit) assertRefused(await post(DEEP), 413);
        else assertRefused(await post(DEEP), 400, "body must not be nested deeper than 64 levels");
      });

      const unlessMended = takesForeign ? { skip: "what cannot be kept is mended or left out" } : {};
      it("names the field that no database can keep", unlessMended, async () => {
        const { world } = await shared();
        const body = sampleOf(spec, world).body ?? {};
        for (const field of fieldsOf(spec.body)) {
          for (const escaped of [NUL, LONE_SURROGATE]) {
            const { [field]: __, ...rest } = body;
            const others = JSON.stringify(rest).slice(1, -1);
            const withField = (value: string) => `{${others === "" ? "" : `${others},`}"${field}":${value}}`;
            assertRefused(
              await post(withField(`"a${escaped}b"`)),
              400,
              new RegExp(`^${field} must not contain NUL`),
            );
            assertRefused(
              await post(withField(`[{"deep":"${escaped}"}]`)),
              400,
              new RegExp(`^${field}\\[0\\]\\.deep must not contain NUL`),
            );
            assertRefused(
              await post(withField(`{"${escaped}":1}`)),
              400,
              new RegExp(`^${field} must not contain NUL`),
            );
          }
        }
      });

      it("names the field whose number cannot be kept", unlessMended, async () => {
        const { world } = await shared();
        const body = sampleOf(spec, world).body ?? {};
        for (const field of fieldsOf(spec.body)) {
          const others = JSON.stringify({ ...body, [field]: undefined }).slice(1, -1);
          const withField = (value: string) => `{${others === "" ? "" : `${others},`}"${field}":${value}}`;
          const lost = new RegExp(
            `^${field}(\\[0\\]\\.deep)? is a number that cannot be kept exactly: send it`,
          );
          assertRefused(await post(withField("9007199254740993")), 400, lost);
          if (spec.items === undefined) assertRefused(await post(withField('[{"deep":1e400}]')), 400, lost);
        }
      });

      it("reads a body with the mark of UTF-8, and says that it wants no UTF-16", async () => {
        assertRefused(await post("\ufeff[]"), 400, "body must be a JSON object");
        const wide = new Uint8Array(Buffer.from('\ufeff{"a": 1}', "utf16le"));
        assertRefused(await post(wide), 400, "body must be UTF-8: this is UTF-16 or UTF-32");
      });

      if (spec.method === "PATCH") {
        it("refuses to change nothing", async () => {
          assertRefused(await post("{}"), 400, /^body must change at least one of |^\w+ is required$/);
          assertRefused(await post('{"unknown":1}'), 400, /^unknown: unknown field/);
        });
      }
    }

    if (!openToBrowsers) {
      it("refuses every field that it does not know, wherever it stands", async () => {
        const { project, world } = await shared();
        const given = sampleOf(spec, world);
        const key = keyOf(project, spec);
        const stray = { ...given.query, unknwon: "1" };
        assertRefused(
          await send(house, spec, { ...given, query: stray, key }),
          400,
          /^unknwon: unknown field/,
        );
        if (spec.method === "GET" || spec.upload !== undefined) return;
        if (spec.body === undefined) {
          const answer = await send(house, spec, { ...given, body: { unknwon: 1 }, key });
          return assertRefused(answer, 400, "body must be left out: this operation takes none");
        }
        const bodies = [given.body, exampleFor(spec, world), ...(richer[spec.id]?.(world) ?? [])];
        for (const { at, body } of bodies.flatMap((each) => withStrayField(each ?? {}))) {
          const { status, text } = await send(house, spec, { ...given, body, key });
          // Items of a batch are refused one by one, within an answer to all of them.
          const isItem = spec.items !== undefined && at !== "body";
          assert.equal(
            status,
            isItem ? 200 : 400,
            `${at} takes a field that nobody knows: ${JSON.stringify(body)}`,
          );
          // What is wrong inside of an expression is said by its own diagnostics.
          assert.match(text, at.includes("expression") ? /unknwon/ : /unknwon: unknown field/);
        }
      });
    }

    if (spec.needsCapability) {
      it("asks for the capability of the installation, after everything else", async () => {
        const { project, world } = await shared();
        const { headers, ...bare } = sampleOf(spec, world);
        const ask = (given: Record<string, string>) =>
          send(house, spec, { ...bare, headers: given, key: keyOf(project, spec) });
        const [name = "", right = ""] = Object.entries(headers ?? {})[0] ?? [];
        assertRefused(await ask({}), 400, `${name} is required`);
        assertRefused(
          await ask({ [name]: `${right}=` }),
          400,
          `${name} must be made of A-Z, a-z, 0-9, - and _`,
        );
        assertRefused(await ask({ [name]: right.toUpperCase() }), 404, "Installation not found");
      });
    }

    if (isManagementWrite(endpoint)) {
      it("has one effect for one Idempotency-Key", async () => {
        const own = await house.project();
        const key = keyOf(own, spec);
        const given = sampleOf(spec, await worldFor(house, own, spec));
        const headers = { "idempotency-key": "k".repeat(128) };
        const untouched = await contentsOf(house);
        const first = await send(house, spec, { ...given, key, headers });
        assert.equal(first.status, successStatus(spec), first.text);
        assert.equal(first.text === "", first.status === 204);
        assert.equal(first.headers.get("idempotent-replayed"), null);
        const changed = await contentsOf(house);
        assert.notDeepEqual(changed, untouched);
        const again = await send(house, spec, { ...given, key, headers });
        assert.deepEqual([again.status, again.text], [first.status, first.text]);
        assert.equal(again.headers.get("idempotent-replayed"), "true");
        const { file, body, path } = given;
        const otherBody = body && anotherBody(spec, body);
        const elsewhere = Object.fromEntries(Object.keys(path ?? {}).map((name) => [name, "other"]));
        const other = {
          ...(file === undefined ? {} : { file: new Blob([png, "!"], { type: png.type }) }),
          ...(otherBody === undefined ? {} : { body: otherBody }),
          // With neither there is only its address to tell one request from another.
          ...(file === undefined && body === undefined ? { path: elsewhere } : {}),
        };
        assertRefused(
          await send(house, spec, { ...given, ...other, key, headers }),
          409,
          "This Idempotency-Key was used for another request.",
        );
        assert.deepEqual(await contentsOf(house), changed);
        for (const bad of ["", "k".repeat(129)]) {
          const answer = await send(house, spec, { ...given, key, headers: { "idempotency-key": bad } });
          assertRefused(answer, 400, "Idempotency-Key must be 1 to 128 characters");
        }
      });
    }

    it("allows its budget, refuses the next, and is back in time", async () => {
      const own = await limited.project();
      const ask = (key = keyOf(own, spec)) => send(limited, spec, { ...sampleOf(spec, nowhere), key });
      for (const kind of KINDS)
        if (!spec.keys.includes(kind)) assertRefused(await ask(await keyOfKind(limited, own, kind)), 403);
      for (let sent = 0; sent < LIMIT; sent++) assert.notEqual((await ask()).status, 429);
      const refused = await ask();
      assertRefused(refused, 429, "Too many requests");
      assert.equal(refused.headers.get("retry-after"), "20");
      assert.equal(refused.headers.get("access-control-allow-origin"), openToBrowsers ? "*" : null);
      assert.notEqual((await ask(keyOf(await limited.project(), spec))).status, 429);
      limited.advance(19_999);
      const early = await ask();
      assertRefused(early, 429);
      assert.equal(early.headers.get("retry-after"), "1");
      limited.advance(1);
      assert.notEqual((await ask()).status, 429);
      assertRefused(await ask(), 429);
      limited.advance(3_600_000);
      for (let sent = 0; sent < LIMIT; sent++) assert.notEqual((await ask()).status, 429);
      assertRefused(await ask(), 429);
    });
  });
}

describe("the methods of a path", () => {
  for (const [path, group] of Map.groupBy(endpoints, ({ spec }) => spec.path)) {
    const own: string[] = group.map(({ spec }) => spec.method);
    const browser = group
      .filter(({ spec }) => spec.keys.includes("publishable"))
      .map(({ spec }) => spec.method);
    const allowed = [
      ...own,
      ...(own.includes("GET") ? ["HEAD"] : []),
      ...(browser.length > 0 ? ["OPTIONS"] : []),
    ];
    const url = () => house.url + path.replace(/\{\w+\}/g, "x");

    it(`${path}: 405 names the others`, async () => {
      for (const method of ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
        if (allowed.includes(method)) continue;
        const answer = await request(url(), { method });
        assert.equal(answer.status, 405, method);
        assert.deepEqual(answer.headers.get("allow")?.split(", ").sort(), allowed.toSorted());
        if (method !== "HEAD") assertRefused(answer, 405, "Method not allowed");
        assert.equal(answer.headers.get("access-control-allow-origin"), null);
      }
    });

    if (browser.length > 0) {
      it(`${path}: answers a browser's preflight`, async () => {
        const { status, headers, text } = await request(url(), {
          method: "OPTIONS",
          headers: {
            origin: "https://shop.example",
            "access-control-request-method": String(browser[0]),
            "access-control-request-headers": "authorization,content-type",
          },
        });
        assert.deepEqual([status, text], [204, ""]);
        assert.equal(headers.get("access-control-allow-origin"), "*");
        assert.deepEqual(headers.get("access-control-allow-methods")?.split(", "), browser);
        const allowedHeaders = headers.get("access-control-allow-headers")?.split(", ") ?? [];
        const custom = ["x-user-hash", "x-service-installation-capability"];
        for (const name of ["authorization", "content-type", ...custom])
          assert.ok(allowedHeaders.includes(name), name);
        assert.match(headers.get("access-control-max-age") ?? "", /^\d+$/);
      });
    }
  }

  it("answers 404 where there is no path", async () => {
    for (const path of [
      "/nothing",
      "/api/v1",
      "/api/v1/nothing",
      "/api/v2/goals",
      "/api/v1/goals/x/y",
      "/%00",
    ]) {
      assertRefused(await request(house.url + path), 404, "Not found");
      assertRefused(await request(house.url + path, { method: "POST" }), 404, "Not found");
    }
  });
});

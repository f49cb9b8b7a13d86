import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { askAs } from "../../../test/asking.ts";
import { setSettings } from "../../../test/email.ts";
import { refusal, type TestProject, testHouse } from "../../../test/harness.ts";
import { basic, countsOf, packedBlanks, sendTo } from "../../../test/intake.ts";
import { giveRole, makePerson } from "../../../test/people.ts";
import { BELIEVED_MS } from "../../../test/perimeter.ts";
import { rotateKey } from "../access/projects/projects.ts";

const house = testHouse();
const limited = testHouse({ rateLimits: { intake: 2 } });

const MIB = 1_024 * 1_024;
const TRACK = { type: "track", userId: "ada", event: "paid", messageId: "m-1" };
const BODY = { batch: [TRACK] };
const TAKEN = [200, { success: true }];

const shown = async (answer: ReturnType<typeof sendTo>) => {
  const { status, body } = await answer;
  return [status, body];
};
const errorOf = async (answer: ReturnType<typeof sendTo>): Promise<[number, string]> => {
  const { status, body } = await answer;
  return [status, (body as { error?: string }).error ?? ""];
};

/** The events of a user, newest first. */
const eventsOf = async ({ api }: TestProject, id = "ada") =>
  (await api.listUserEvents({ path: { id } })).events.map(({ name, props }) => [name, props]);

const assertNothing = async ({ api }: TestProject): Promise<void> =>
  assert.equal((await api.getUserSummary()).totalUsers, 0);

describe("the key of calls", () => {
  it("is the name of Basic, a Bearer token, or in the body", async () => {
    const project = await house.project();
    const { publishableKey, secretKey } = project;
    for (const key of [publishableKey, secretKey]) {
      for (const authorization of [
        basic(key),
        `Basic ${Buffer.from(key).toString("base64")}`,
        `basic ${Buffer.from(`${key}:and a password`).toString("base64")}`,
        `Bearer ${key}`,
        `bearer ${key}`,
      ])
        assert.deepEqual(
          await shown(sendTo(project, "batch", BODY, { authorization })),
          TAKEN,
          authorization,
        );
      const inBody = { ...BODY, writeKey: key };
      assert.deepEqual(await shown(sendTo(project, "batch", inBody, { authorization: null })), TAKEN);
    }
    assert.equal((await eventsOf(project)).length, 1);
  });

  it("is refused where it is none, unknown, or an agent's", async () => {
    const project = await house.project();
    const unknown = `pk_pub_${"A".repeat(32)}`;
    for (const authorization of [
      basic(unknown),
      basic(""),
      "Basic",
      "Basic %%%",
      "Digest x",
      `Bearer ${unknown}`,
      "",
    ])
      assert.equal((await sendTo(project, "batch", BODY, { authorization })).status, 401, authorization);
    for (const writeKey of [
      undefined,
      null,
      "",
      unknown,
      5,
      {},
      [project.publishableKey],
      "x".repeat(100_000),
    ])
      assert.equal(
        (await sendTo(project, "batch", { ...BODY, writeKey }, { authorization: null })).status,
        401,
      );
    for (const authorization of [basic(project.agentKey), `Bearer ${project.agentKey}`])
      assert.equal((await sendTo(project, "batch", BODY, { authorization })).status, 403);
    const agents = { ...BODY, writeKey: project.agentKey };
    assert.equal((await sendTo(project, "batch", agents, { authorization: null })).status, 403);
    await assertNothing(project);
    assert.deepEqual(await countsOf(project), { calls: {}, problems: {} });
  });

  it("of a header counts before the one in the body, right or wrong", async () => {
    const [project, other] = [await house.project(), await house.project()];
    const body = { ...BODY, writeKey: other.publishableKey };
    assert.deepEqual(await shown(sendTo(project, "batch", body)), TAKEN);
    await assertNothing(other);
    const wrong = basic(`pk_pub_${"A".repeat(32)}`);
    const { status } = await sendTo(
      project,
      "batch",
      { ...BODY, writeKey: project.publishableKey },
      { authorization: wrong },
    );
    assert.equal(status, 401);
    assert.equal((await eventsOf(project)).length, 1);
  });

  it("writes into its own project", async () => {
    const [project, other] = [await house.project(), await house.project()];
    assert.deepEqual(
      await shown(sendTo(project, "batch", BODY, { authorization: basic(other.secretKey) })),
      TAKEN,
    );
    await assertNothing(project);
    assert.equal((await eventsOf(other)).length, 1);
  });

  it("that was replaced works no more within five seconds", async () => {
    const project = await house.project();
    assert.deepEqual(await shown(sendTo(project, "batch", BODY)), TAKEN);
    const key = await house.database.kysely
      .transaction()
      .execute((tx) => rotateKey(tx, project.projectId, "publishable", house.now(), 0));
    house.advance(BELIEVED_MS);
    assert.equal((await sendTo(project, "batch", BODY)).status, 401);
    assert.equal(
      (await sendTo(project, "batch", { ...BODY, writeKey: project.publishableKey }, { authorization: null }))
        .status,
      401,
    );
    assert.deepEqual(await shown(sendTo(project, "batch", BODY, { authorization: basic(key ?? "") })), TAKEN);
  });

  it("has a budget: 429 says when to come again", async () => {
    const project = await limited.project();
    const statuses: number[] = [];
    for (let n = 0; n < 3; n++) statuses.push((await sendTo(project, n === 1 ? "t" : "batch", BODY)).status);
    assert.deepEqual(statuses, [200, 200, 429]);
    const { headers } = await sendTo(
      project,
      "batch",
      { ...BODY, writeKey: project.publishableKey },
      { authorization: null },
    );
    assert.match(headers.get("retry-after") ?? "", /^[1-9]\d*$/);
  });
});

describe("pages of other origins", () => {
  it("may send calls where the project has no list, and those of its list where it has one", async () => {
    const open = await house.project();
    const listed = await house.project();
    await setSettings(house, listed, { "origins.allowed": "https://shop.example" });
    house.advance(BELIEVED_MS);
    for (const [project, origin, status, allowed] of [
      [open, "https://any.example", 200, "*"],
      [listed, "https://shop.example", 200, "https://shop.example"],
      [listed, "https://evil.example", 403, null],
    ] as const)
      for (const inBody of [false, true]) {
        const body = inBody ? { ...BODY, writeKey: project.publishableKey } : BODY;
        const sent = { headers: { origin }, ...(inBody ? { authorization: null } : {}) };
        const answer = await sendTo(project, "batch", body, sent);
        assert.deepEqual(
          [answer.status, answer.headers.get("access-control-allow-origin")],
          [status, allowed],
        );
      }
  });

  it("are let through by a preflight, on every path", async () => {
    const { url } = await house.project();
    for (const path of ["/v1/batch", "/v1/t", "/v1/p", "/v1/identify"]) {
      const answer = await fetch(url + path, {
        method: "OPTIONS",
        headers: {
          origin: "https://any.example",
          "access-control-request-method": "POST",
          "access-control-request-headers": "authorization,content-type",
        },
      });
      await answer.body?.cancel();
      assert.equal(answer.status, 204);
      assert.match(answer.headers.get("access-control-allow-headers") ?? "", /authorization, content-type/);
    }
  });

  it("have no person's cookie count as a key", async () => {
    const project = await house.project();
    const person = await makePerson(house);
    await giveRole(house, project.projectId, person, "owner");
    const answer = await askAs(house, person, project.projectId, ["POST", "/v1/batch", BODY]);
    assert.equal(answer.status, 403);
    const cookieAndKey = { ...BODY, writeKey: project.publishableKey };
    assert.equal(
      (await askAs(house, person, project.projectId, ["POST", "/v1/batch", cookieAndKey])).status,
      200,
    );
  });
});

describe("the body of calls", () => {
  it("is JSON under any content type", async () => {
    for (const type of [
      "application/json",
      "text/plain",
      "text/plain;charset=UTF-8",
      "application/x-www-form-urlencoded",
      "multipart/form-data",
      "application/octet-stream",
      "nonsense",
      "a/b; c",
      "",
      "application/json; charset=latin1",
    ]) {
      const project = await house.project();
      const answer = sendTo(project, "batch", BODY, { headers: { "content-type": type } });
      assert.deepEqual(await shown(answer), TAKEN, type);
      assert.deepEqual(await eventsOf(project), [["paid", null]]);
    }
  });

  it("may come without a content type, and in pieces", async () => {
    const project = await house.project();
    const response = await fetch(`${project.url}/v1/batch`, {
      method: "POST",
      headers: { authorization: basic(project.publishableKey) },
      body: new Blob([JSON.stringify(BODY)]).stream(),
      duplex: "half",
    } as RequestInit);
    assert.deepEqual([response.status, await response.json()], TAKEN);
  });

  it("is refused where it is no object of JSON", async () => {
    const project = await house.project();
    for (const [raw, error] of [
      ["", "body must be a JSON object"],
      ["null", "body must be a JSON object"],
      ["[]", "body must be a JSON object"],
      ['"text"', "body must be a JSON object"],
      ["5", "body must be a JSON object"],
      ["{", "body must be valid JSON"],
      ["batch=%5B%5D", "body must be valid JSON"],
      ["{}", "batch must be a list of calls"],
      ['{"batch":{}}', "batch must be a list of calls"],
      ['{"batch":"text"}', "batch must be a list of calls"],
      ['{"batch":1e400}', "batch must be a list of calls"],
    ] as const)
      assert.deepEqual(await errorOf(sendTo(project, "batch", raw)), [400, error], raw);
    for (const bytes of [
      new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x7d]),
      Buffer.from("\ufeff{}", "utf16le"),
    ]) {
      const [status, error] = await errorOf(sendTo(project, "batch", bytes));
      assert.deepEqual([status, error.slice(0, 18)], [400, "body must be UTF-8"]);
    }
    const deep = `{"batch":[{"deep":${"[".repeat(10_000)}${"]".repeat(10_000)}}]}`;
    assert.deepEqual(await errorOf(sendTo(project, "batch", deep)), [
      400,
      "body must not be nested deeper than 64 levels",
    ]);
  });

  it("may be as deep as 64 levels", async () => {
    const project = await house.project();
    const levels = 64 - 4;
    const deep = `{"batch":[{"type":"track","userId":"ada","event":"paid","properties":{"deep":${"[".repeat(levels)}${"]".repeat(levels)}}}]}`;
    assert.deepEqual(await shown(sendTo(project, "batch", deep)), TAKEN);
    assert.equal((await eventsOf(project)).length, 1);
  });

  it("has up to 2,500 calls, and none as well", async () => {
    const project = await house.project();
    const batch = (length: number) => ({
      batch: Array.from({ length }, () => ({ type: "alias", userId: "a", previousId: "a" })),
    });
    assert.deepEqual(await shown(sendTo(project, "batch", batch(0))), TAKEN);
    assert.deepEqual(await shown(sendTo(project, "import", batch(2_500))), TAKEN);
    assert.deepEqual(await errorOf(sendTo(project, "b", batch(2_501))), [
      413,
      "batch must have at most 2500 calls: send fewer at once",
    ]);
    assert.deepEqual((await countsOf(project)).calls, {
      "unknown alias": [2_500, 0],
      "unknown unknown": [0, 1],
    });
  });

  it("has up to 4 MiB", async () => {
    const project = await house.project();
    const padded = (bytes: number) => JSON.stringify(BODY).padEnd(bytes);
    assert.deepEqual(await shown(sendTo(project, "batch", padded(4 * MIB))), TAKEN);
    const tooLarge = `Request body too large: at most ${4 * MIB} bytes`;
    const [status, error] = await errorOf(sendTo(project, "batch", padded(4 * MIB + 1)));
    assert.deepEqual([status, error.slice(0, tooLarge.length)], [413, tooLarge]);
    assert.deepEqual(await shown(sendTo(project, "batch", gzipSync(padded(4 * MIB)))), TAKEN);
    assert.deepEqual((await errorOf(sendTo(project, "batch", gzipSync(padded(4 * MIB + 1)))))[0], 413);
  });

  it("has paths of its own only", async () => {
    const project = await house.project();
    for (const call of [
      "i",
      "t",
      "p",
      "s",
      "g",
      "a",
      "b",
      "identify",
      "track",
      "page",
      "screen",
      "group",
      "alias",
    ])
      assert.equal((await sendTo(project, call, { ...BODY, ...TRACK })).status, 200, call);
    for (const call of ["", "x", "Batch", "batch/", "track/x", "__proto__", "constructor"])
      assert.ok([400, 404].includes((await sendTo(project, call, BODY)).status), call);
    const metrics = await fetch(`${project.url}/v1/m`, { method: "POST", body: "{}" });
    assert.deepEqual([metrics.status, await metrics.json()], TAKEN);
  });
});

describe("a body of gzip", () => {
  const packed = gzipSync(JSON.stringify(BODY));

  it("is known by its bytes, whatever its headers say", async () => {
    for (const headers of [
      { "content-encoding": "gzip", "content-type": "application/x-www-form-urlencoded" },
      { "content-encoding": "GZIP" },
      { "content-encoding": "x-gzip" },
      { "content-encoding": "identity" },
      {},
    ] as Record<string, string>[]) {
      const project = await house.project();
      assert.deepEqual(await shown(sendTo(project, "batch", packed, { headers })), TAKEN);
      assert.deepEqual(await shown(sendTo(project, "batch", BODY, { headers })), TAKEN);
      assert.deepEqual(await eventsOf(project), [["paid", null]]);
    }
  });

  it("may have its key in it", async () => {
    const project = await house.project();
    const own = gzipSync(JSON.stringify({ ...BODY, writeKey: project.publishableKey }));
    assert.deepEqual(await shown(sendTo(project, "batch", own, { authorization: null })), TAKEN);
  });

  it("of several parts is one", async () => {
    const project = await house.project();
    const json = JSON.stringify(BODY);
    const parts = Buffer.concat([gzipSync(json.slice(0, 10)), gzipSync(json.slice(10))]);
    assert.deepEqual(await shown(sendTo(project, "batch", parts)), TAKEN);
  });

  it("is refused where it is cut, broken, or of another kind", async () => {
    const project = await house.project();
    const broken = Buffer.from(packed);
    broken[packed.length - 6] = (broken[packed.length - 6] ?? 0) ^ 0xff;
    for (const bytes of [
      packed.subarray(0, 2),
      packed.subarray(0, 12),
      packed.subarray(0, -1),
      packed.subarray(0, -8),
      broken,
    ])
      assert.deepEqual(await errorOf(sendTo(project, "batch", bytes)), [
        400,
        "body must be JSON, or gzip of it",
      ]);
    for (const [encoding, bytes] of [
      ["deflate", deflateSync(JSON.stringify(BODY))],
      ["br", brotliCompressSync(JSON.stringify(BODY))],
      ["gzip, gzip", gzipSync(packed)],
      ["zstd", packed],
    ] as const)
      assert.deepEqual(
        await errorOf(sendTo(project, "batch", bytes, { headers: { "content-encoding": encoding } })),
        [400, "Content-Encoding must be gzip, or left out"],
      );
    for (const bytes of [deflateSync(JSON.stringify(BODY)), gzipSync(packed)])
      assert.equal((await sendTo(project, "batch", bytes)).status, 400);
    await assertNothing(project);
  });

  it("that would be 300 MB is refused, and takes no such memory", async () => {
    const project = await house.project();
    const bomb = await packedBlanks(300 * MIB);
    assert.ok(bomb.length < MIB);
    const before = process.resourceUsage().maxRSS;
    for (const authorization of [basic(project.publishableKey), null])
      assert.equal((await sendTo(project, "batch", bomb, { authorization })).status, 413);
    const grownMib = (process.resourceUsage().maxRSS - before) / 1_024;
    assert.ok(grownMib < 60, `${grownMib} MiB more`);
  });

  it("is taken by no other operation", async () => {
    const { url, publishableKey } = await house.project();
    const answer = await fetch(`${url}/api/v1/track`, {
      method: "POST",
      headers: {
        authorization: basic(publishableKey),
        "content-type": "application/json",
        "content-encoding": "gzip",
      },
      body: gzipSync(JSON.stringify({ userId: "ada", event: "paid" })),
    });
    await answer.body?.cancel();
    assert.equal(answer.status, 400);
  });
});

describe("the counts", () => {
  it("are for the secret and the agent's key, and for people from viewers on", async () => {
    const project = await house.project();
    await sendTo(project, "batch", BODY);
    assert.deepEqual((await countsOf(project)).calls, { "unknown track": [1, 0] });
    assert.equal((await project.agent.getIntake()).intake.calls.length, 1);
    assert.equal((await refusal(project.sdk.getIntake())).status, 403);
    const [stranger, viewer] = [await makePerson(house), await makePerson(house)];
    assert.equal((await askAs(house, stranger, project.projectId, ["GET", "/api/v1/intake"])).status, 404);
    await giveRole(house, project.projectId, viewer, "viewer");
    const seen = await askAs(house, viewer, project.projectId, ["GET", "/api/v1/intake"]);
    assert.deepEqual([seen.status, (seen.body.intake as { calls: unknown[] }).calls.length], [200, 1]);
  });

  it("are those of the project alone", async () => {
    const [project, other] = [await house.project(), await house.project()];
    await sendTo(project, "batch", BODY);
    assert.deepEqual(await countsOf(other), { calls: {}, problems: {} });
  });
});

describe("the settings that analytics.js asks for", () => {
  it("say where to send, to the publishable key alone", async () => {
    const project = await house.project();
    const ask = async (key: string) => {
      const answer = await fetch(`${project.url}/v1/projects/${key}/settings`);
      return {
        status: answer.status,
        headers: answer.headers,
        body: (await answer.json()) as Record<string, unknown>,
      };
    };
    const { status, headers, body } = await ask(project.publishableKey);
    assert.deepEqual([status, headers.get("access-control-allow-origin")], [200, "*"]);
    const { host } = new URL(project.url);
    assert.deepEqual(body.integrations, {
      "Segment.io": { apiKey: project.publishableKey, apiHost: `${host}/v1`, protocol: "http" },
    });
    for (const key of [project.secretKey, project.agentKey, `pk_pub_${"A".repeat(32)}`, "x", "%00"])
      assert.equal((await ask(key)).status, 404, key);
  });
});

describe("what these requests leave behind", () => {
  it("is sound", async () => {
    assert.deepEqual(await house.differences(), {});
  });
});

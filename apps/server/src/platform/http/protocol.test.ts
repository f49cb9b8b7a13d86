import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { launchCampaign } from "../../../test/factories.ts";
import { sharedHouse, type TestProject } from "../../../test/harness.ts";

const house = sharedHouse();

type Reply = { status: number; body: unknown; headers: Headers };

async function ask(
  { publishableKey }: TestProject,
  path: string,
  { headers, ...init }: RequestInit = {},
): Promise<Reply> {
  const response = await fetch(house.url + path, {
    ...init,
    headers: { authorization: `Bearer ${publishableKey}`, ...headers },
  });
  return { status: response.status, body: await response.json(), headers: response.headers };
}

const identify = (project: TestProject, type: string): Promise<Reply> =>
  ask(project, "/api/v1/identify", {
    method: "POST",
    headers: { "content-type": type },
    body: '{"userId":"ann"}',
  });

describe("the scheme of Authorization", () => {
  it("is Bearer in any case", async () => {
    const project = await house.project();
    const statusOf = async (authorization: string): Promise<number> =>
      (await ask(project, "/api/v1/messages?userId=ann", { headers: { authorization } })).status;
    for (const scheme of ["Bearer", "bearer", "BEARER", "bEaReR"])
      assert.equal(await statusOf(`${scheme} ${project.publishableKey}`), 200, scheme);
    for (const wrong of ["Bearer", "Bearer: ", "Basic ", "Bearers ", ""])
      assert.equal(await statusOf(wrong + project.publishableKey), 401, wrong);
  });
});

describe("percent-encoding in a query", () => {
  it("that is no UTF-8 is refused with the name of its parameter, and nobody is made of it", async () => {
    const project = await house.project();
    await launchCampaign(project);
    for (const [query, name] of [
      ["userId=%ed%a0%80", "query.userId"],
      ["userId=a%20b%ff", "query.userId"],
      ["userId=ann&path=/%zz", "query.path"],
      ["userId=ann&path=/%", "query.path"],
      ["userId=ann&more=%c0%80", "query.more"],
      ["userId=ann&%ff=x", "query"],
    ] as const) {
      const { status, body } = await ask(project, `/api/v1/messages?${query}`);
      assert.deepEqual([status, body], [400, { error: `${name} is not valid percent-encoding in UTF-8` }]);
    }
    assert.equal((await project.api.listUsers()).total, 0);
  });

  it("that is UTF-8 says what it stands for", async () => {
    const project = await house.project();
    for (const [query, userId] of [
      ["a%20b", "a b"],
      ["a+b", "a b"],
      ["100%25", "100%"],
      ["%C3%A9%F0%9F%8E%89", "é🎉"],
      ["a%26b%3Dc", "a&b=c"],
    ])
      assert.equal(
        ((await ask(project, `/api/v1/messages?userId=${query}`)).body as { userId: string }).userId,
        userId,
      );
  });
});

describe("the charset of a body", () => {
  it("is UTF-8, said or not", async () => {
    const project = await house.project();
    for (const type of [
      "application/json",
      "application/json; charset=utf-8",
      "application/json;charset=UTF-8",
      'application/json; charset="utf-8"',
      "application/json; charset=utf8",
      "application/json; profile=x",
    ])
      assert.equal((await identify(project, type)).status, 200, type);
    for (const type of [
      "application/json; charset=iso-8859-1",
      "application/json; Charset=utf-16",
      'application/json; profile=x; charset="windows-1252"',
    ]) {
      const { status, body } = await identify(project, type);
      assert.deepEqual([status, body], [400, { error: "Content-Type must not name a charset but utf-8" }]);
    }
  });
});

describe("a page of another origin", () => {
  it("may read when to come again, and the id of the request", async () => {
    const project = await house.project();
    const names = async (reply: Promise<Reply>): Promise<string | null> =>
      (await reply).headers.get("access-control-expose-headers");
    const expected = "retry-after, x-request-id, x-api-version";
    assert.equal(await names(identify(project, "application/json")), expected);
    assert.equal(await names(identify(project, "text/plain")), expected);
    assert.equal(await names(ask(project, "/api/v1/messages", { headers: { authorization: "" } })), expected);
    assert.equal(await names(ask(project, "/api/v1/goals")), null);
  });
});

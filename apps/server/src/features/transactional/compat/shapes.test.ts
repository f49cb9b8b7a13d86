import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type TestProject, testHouse } from "../../../../test/harness.ts";
import type { Endpoint } from "../../../platform/http/contract/endpoint.ts";
import { receiptCalls } from "./calls.ts";
import { MOST_BYTES } from "./receipt-call.ts";

const LIMIT = 2;
const house = testHouse();
const limited = testHouse({ rateLimits: { send: LIMIT } });

type Spec = Endpoint["spec"];
type Sent = { key?: string | undefined; body?: string; headers?: Readonly<Record<string, string>> };

/** Sends a call as the library of its service would, and answers what came back. */
async function call({ url }: TestProject, { path, method, dialect }: Spec, { key, body, headers }: Sent) {
  const token =
    dialect?.keyHeader === undefined
      ? { authorization: `Bearer ${key ?? ""}` }
      : { [dialect.keyHeader]: key ?? "" };
  const response = await fetch(url + path.replace("{id}", "x"), {
    method,
    headers: { ...(key === undefined ? {} : token), "content-type": "application/json", ...headers },
    ...(method === "GET" ? {} : { body: body ?? "{}" }),
  });
  const answer = (await response.json()) as Record<string, unknown>;
  return { status: response.status, headers: response.headers, answer };
}

/** Asserts that a refusal has the shape of its service, and no other. */
function assertShape({ path }: Spec, { status, answer }: Awaited<ReturnType<typeof call>>): void {
  if (path.startsWith("/compat/resend/")) {
    assert.deepEqual(Object.keys(answer).sort(), ["message", "name", "statusCode"]);
    assert.equal(answer.statusCode, status);
  } else {
    assert.deepEqual(Object.keys(answer).sort(), ["ErrorCode", "Message"]);
    assert.ok(Number(answer.ErrorCode) > 0);
  }
}

for (const { spec } of receiptCalls) {
  const isResend = spec.path.startsWith("/compat/resend/");
  const takesBody = spec.method === "POST";

  describe(`${spec.method} ${spec.path}`, () => {
    it("is closed to no key, to unknown ones and to the key of another kind", async () => {
      const project = await house.project();
      for (const [key, name] of [
        [undefined, "missing_api_key"],
        ["nonsense", "validation_error"],
        [`pk_${"A".repeat(32)}`, "validation_error"],
        [project.publishableKey, "restricted_api_key"],
        [project.agentKey, "restricted_api_key"],
      ] as const) {
        const refused = await call(project, spec, { key });
        assertShape(spec, refused);
        assert.equal(refused.status, 401, name);
        if (isResend) assert.equal(refused.answer.name, name);
        else assert.equal(refused.answer.ErrorCode, 10);
        assert.ok(refused.headers.get("x-request-id"));
        assert.equal(refused.headers.get("access-control-allow-origin"), null);
      }
    });

    it("takes the key from the header of its service alone", async () => {
      const project = await house.project();
      const other = isResend
        ? { "x-postmark-server-token": project.secretKey }
        : { authorization: `Bearer ${project.secretKey}` };
      const refused = await call(project, spec, { headers: other });
      assertShape(spec, refused);
      assert.equal(refused.status, 401);
    });

    if (takesBody) {
      it("refuses what it cannot read", async () => {
        const project = await house.project();
        const key = project.secretKey;
        for (const body of ["", "{", "5", '"x"', "null", '{"to":5}', '{"__proto__":{}}'] as const) {
          const refused = await call(project, spec, { key, body });
          assertShape(spec, refused);
          assert.equal(refused.status, 422, body);
        }
      });

      it("refuses what is too large", async () => {
        const project = await house.project();
        const refused = await call(project, spec, {
          key: project.secretKey,
          body: JSON.stringify({ html: "x".repeat(MOST_BYTES) }),
        });
        assertShape(spec, refused);
        assert.equal(refused.status, 413);
      });
    }

    it("is counted in the budget of its project", async () => {
      const project = await limited.project();
      const key = project.secretKey;
      for (let sent = 0; sent < LIMIT; sent++)
        assert.notEqual((await call(project, spec, { key, body: "{" })).status, 429);
      const refused = await call(project, spec, { key, body: "{" });
      assertShape(spec, refused);
      assert.equal(refused.status, 429);
      assert.ok(Number(refused.headers.get("retry-after")) > 0);
    });
  });
}

describe("what a service has and this server does not", () => {
  for (const [method, path, name] of [
    ["GET", "/compat/resend/emails", "GET /emails"],
    ["POST", "/compat/resend/emails/x/cancel", "POST /emails/x/cancel"],
    ["PATCH", "/compat/resend/emails/x", "PATCH /emails/x"],
    ["POST", "/compat/resend/contacts?a=1", "POST /contacts"],
    ["GET", "/compat/postmark/email", "GET /email"],
    ["GET", "/compat/postmark/templates", "GET /templates"],
    ["POST", "/compat/postmark/email/bulk", "POST /email/bulk"],
  ] as const)
    it(`${method} ${path}`, async () => {
      const project = await house.project();
      const response = await fetch(project.url + path, { method });
      const answer = (await response.json()) as Record<string, unknown>;
      assert.equal(response.status, 404);
      const message = String(answer.message ?? answer.Message);
      assert.ok(message.endsWith(`, and not ${name}.`), message);
    });
});

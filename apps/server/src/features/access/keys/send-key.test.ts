import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createClient } from "@tidings/client";
import { setSettings } from "../../../../test/email.ts";
import { refusal, testHouse } from "../../../../test/harness.ts";
import { sendKeyOf } from "../../../../test/keys.ts";
import { assertRefused, request } from "../../../../test/samples.ts";
import { endpoints, gateways, peopleEndpoints } from "../../../features.ts";
import { isProven, requireProof } from "../../../platform/http/admission/perimeter.ts";

const house = testHouse();
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

/** The answer to an empty request: the kind of key is judged before anything of it is read. */
const ask = (method: string, path: string, headers: Record<string, string>) =>
  request(house.url + path.replace(/\{\w+\}/g, "x"), {
    method,
    headers: { ...headers, "content-type": "application/json" },
    ...(method === "GET" ? {} : { body: "{}" }),
  });

describe("a send key", () => {
  it("is none of those that a new project has", async () => {
    const project = await house.project();
    const { rows } = await house.database.pool.query<{ kind: string }>(
      "select kind from api_keys where project_id = $1 order by kind",
      [project.projectId],
    );
    assert.deepEqual(
      rows.map(({ kind }) => kind),
      ["publishable", "secret", "agent"],
    );
  });

  it("is refused by every operation that does not name it, as a Bearer and as the name of Basic", async () => {
    const project = await house.project();
    const key = await sendKeyOf(house, project);
    const basic = { authorization: `Basic ${Buffer.from(`${key}:`).toString("base64")}` };
    const others = [...endpoints, ...peopleEndpoints].filter(({ spec }) => !spec.keys.includes("send"));
    assert.ok(others.length > 200, String(others.length));
    for (const { spec } of others) {
      if (spec.managedOnly) continue;
      const says =
        spec.keys.length === 0
          ? /^This is for people who are signed in, and the send key was sent\.$/
          : /^This takes the .* key of the project, and the send key was sent\.$/;
      for (const headers of [bearer(key), basic])
        assertRefused(await ask(spec.method, spec.path, headers), 403, says);
    }
  });

  it("is refused by every gateway, such as those of models", async () => {
    const project = await house.project();
    const key = await sendKeyOf(house, project);
    assert.ok(gateways.length > 0);
    for (const { path } of gateways)
      assertRefused(await ask("POST", path, bearer(key)), 403, /the send key was sent/);
  });

  it("is no write key of libraries of other services, and has no settings for them", async () => {
    const project = await house.project();
    const writeKey = await sendKeyOf(house, project);
    const body = JSON.stringify({ writeKey, type: "track", event: "paid", userId: "ada" });
    const headers = { "content-type": "application/json" };
    assertRefused(
      await request(`${house.url}/v1/track`, { method: "POST", headers, body }),
      403,
      /send key was sent/,
    );
    const settings = await request(`${house.url}/v1/projects/${writeKey}/settings`, {});
    assert.equal(settings.status, 404);
  });

  it("is refused by operations that pages call whatever the project demands of pages", async () => {
    const project = await house.project();
    await setSettings(house, project, { "origins.allowed": "https://shop.example" });
    const key = await sendKeyOf(house, project);
    assertRefused(await ask("POST", "/api/v1/track", bearer(key)), 403, /the send key was sent/);
  });

  it("proves no user, not even with a hash that does", () => {
    const perimeter = {
      allowsOrigin: null,
      provesUser: () => true,
      requiresProof: true,
      serverTraits: new Set<string>(),
      serverEvents: new Set<string>(),
    };
    const claim = { userId: "ada", userHash: "a".repeat(64) };
    assert.equal(isProven({ keyKind: "publishable", perimeter }, claim, {}, 0), true);
    assert.equal(isProven({ keyKind: "send", perimeter }, claim, {}, 0), false);
    assert.equal(isProven({ keyKind: "send" }, claim, {}, 0), false);
    assert.throws(
      () => requireProof({ keyKind: "send", perimeter }, claim, {}, 0),
      /Could not identify user/,
    );
  });

  it("that does not exist is unknown, as any other", async () => {
    const key = `pk_send_${"A".repeat(32)}`;
    for (const each of [key, "pk_send_", `pk_send_${"A".repeat(31)}`, `pk_sends_${"A".repeat(32)}`])
      assert.equal((await refusal(createClient(house.url, each).listCampaigns())).status, 401, each);
  });
});

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { describe, it } from "node:test";
import type { Input } from "@tidings/client";
import { launchCampaign, messagesOf, toast } from "../../../../test/factories.ts";
import { refusal, type TestProject, testHouse } from "../../../../test/harness.ts";

const house = testHouse();

type Identify = Input<"identify">["body"];

/** An object whose compact JSON has exactly this many bytes. */
const objectOf = (bytes: number): Record<string, unknown> => ({ k: "x".repeat(bytes - '{"k":""}'.length) });

const identify = ({ sdk }: TestProject, userId: string, traits?: Record<string, unknown>) =>
  sdk.identify({ body: { userId, ...(traits === undefined ? {} : { traits }) } });

/** Which of these traits a user has: launches a campaign for each and looks which messages the user gets. */
async function has(
  project: TestProject,
  userId: string,
  traits: Record<string, string | number | boolean>,
): Promise<string[]> {
  const made = Object.entries(traits).map(([name, value]) =>
    launchCampaign(project, { message: toast(name), targeting: { traits: { [name]: value } } }),
  );
  const ids = new Set((await Promise.all(made)).map(({ id }) => id));
  const messages = await messagesOf(project, userId);
  return messages
    .filter(({ campaignId }) => ids.has(campaignId))
    .map(({ content }) => String(content.title))
    .toSorted();
}

describe("identify", () => {
  it("makes a user known, with traits or without", async () => {
    const project = await house.project();
    assert.deepEqual(await identify(project, "anna"), { ok: true });
    assert.deepEqual(await identify(project, "ben", {}), { ok: true });
    assert.deepEqual(await identify(project, "carl", { plan: "pro" }), { ok: true });
    assert.deepEqual(await has(project, "carl", { plan: "pro" }), ["plan"]);
  });

  it("merges key by key: what is sent is replaced whole, what is not stays", async () => {
    const project = await house.project();
    await identify(project, "anna", { plan: "free", seats: 1, nested: { a: 1, b: 2 } });
    await identify(project, "anna", { plan: "pro", trial: false });
    await identify(project, "anna");
    await identify(project, "anna", {});
    assert.deepEqual(await has(project, "anna", { plan: "pro", seats: 1, trial: false }), [
      "plan",
      "seats",
      "trial",
    ]);
    await identify(project, "anna", { seats: null });
    assert.deepEqual(await has(project, "anna", { seats: 1, plan: "pro" }), ["plan"]);
  });

  it("loses no key of many that arrive at once", async () => {
    const project = await house.project();
    const keys = Array.from({ length: 40 }, (_, i) => `key_${i}`);
    await Promise.all(keys.map((key) => identify(project, "anna", { [key]: key })));
    assert.deepEqual(
      await has(project, "anna", Object.fromEntries(keys.map((key) => [key, key]))),
      keys.toSorted(),
    );
  });

  it("takes any JSON values, and keys and texts in any script", async () => {
    const project = await house.project();
    const traits = {
      名前: "アンナ 🎉",
      "a.b": 1.5,
      list: [1, { x: null }],
      "": "empty",
      $browser: "Firefox",
    };
    await identify(project, "ânna@例え.jp", traits);
    assert.deepEqual(
      await has(project, "ânna@例え.jp", { 名前: "アンナ 🎉", "a.b": 1.5, $browser: "Firefox" }),
      ["$browser", "a.b", "名前"],
    );
  });

  it("keeps the same id in two projects apart", async () => {
    const [one, two] = [await house.project(), await house.project()];
    await identify(one, "anna", { plan: "pro" });
    await identify(two, "anna", { plan: "free" });
    assert.deepEqual(await has(one, "anna", { plan: "pro" }), ["plan"]);
    assert.deepEqual(await has(two, "anna", { plan: "pro" }), []);
  });

  it("takes ids that differ in case or space as different users", async () => {
    const project = await house.project();
    await identify(project, "anna", { plan: "pro" });
    for (const other of ["Anna", "anna ", " anna"])
      assert.deepEqual(await has(project, other, { plan: "pro" }), [], other);
  });

  it("takes each field at its limit", async () => {
    const project = await house.project();
    for (const userId of ["x", "x".repeat(256), "🎉".repeat(256)])
      assert.deepEqual(await identify(project, userId), { ok: true });
    for (const traits of [objectOf(4_096), { k: "é".repeat(2_044) }])
      assert.deepEqual(await identify(project, "anna", traits), { ok: true });
  });

  // An index of PostgreSQL takes no long texts: a trait that an index has must not be refused for it.
  it("takes long texts that cannot be compressed, whatever the trait is called", async () => {
    const project = await house.project();
    const text = randomBytes(3_000).toString("base64").slice(0, 3_900);
    const traits = ["email", "name", "plan"].flatMap((name) =>
      [text, `${text}@example.com`, ` ${text} `].map((value) => ({ [name]: value })),
    );
    for (const [n, each] of [...traits, { [text.replaceAll(/\W/g, "")]: true }].entries())
      assert.deepEqual(await identify(project, `user-${n}`, each), { ok: true });
  });

  const refused: readonly [string, Record<string, unknown>, string?][] = [
    ["no user", {}, "userId is required, or anonymousId of a visitor who is not signed in"],
    ["an empty user", { userId: "" }],
    ["a user of 257 characters", { userId: "x".repeat(257) }, "userId must be at most 256 characters"],
    ["a user of 257 emoji", { userId: "🎉".repeat(257) }],
    ["a user that is a number", { userId: 5 }],
    ["a user that is null", { userId: null }],
    ["a user with a NUL", { userId: "a\0b" }],
    ["a user with half a character", { userId: "a\ud83c" }],
    ["traits that are a list", { userId: "anna", traits: [] }],
    ["traits that are a text", { userId: "anna", traits: "pro" }],
    ["traits that are null", { userId: "anna", traits: null }],
    ["traits of 4097 bytes", { userId: "anna", traits: objectOf(4_097) }],
    ["traits of 4098 bytes in 2053 characters", { userId: "anna", traits: { k: "é".repeat(2_045) } }],
    ["a trait with a NUL", { userId: "anna", traits: { a: { b: ["\0"] } } }],
    ["a trait named with half a character", { userId: "anna", traits: { "\udf89": 1 } }],
  ];
  for (const [name, body, message] of refused) {
    it(`refuses ${name}`, async () => {
      const { sdk } = await house.project();
      const { status, error } = await refusal(sdk.identify({ body: body as Identify }));
      assert.deepEqual([status, error], [400, message ?? error]);
    });
  }

  it("leaves the user as it was when it refuses", async () => {
    const project = await house.project();
    await identify(project, "anna", { plan: "pro" });
    assert.equal(
      (await refusal(identify(project, "anna", { plan: "free", ...objectOf(4_090) }))).status,
      400,
    );
    assert.deepEqual(await has(project, "anna", { plan: "pro" }), ["plan"]);
  });

  it("refuses more than 8 KiB before it looks", async () => {
    const { sdk } = await house.project();
    const { status, error } = await refusal(
      sdk.identify({ body: { userId: "anna", traits: objectOf(9_000) } }),
    );
    assert.deepEqual([status, error], [413, "Request body too large: at most 8192 bytes"]);
  });

  it("is for the publishable and the secret key", async () => {
    const { api, agent } = await house.project();
    assert.deepEqual(await api.identify({ body: { userId: "anna" } }), { ok: true });
    assert.equal((await refusal(agent.identify({ body: { userId: "anna" } }))).status, 403);
  });

  it("leaves no differences behind", async () => {
    assert.deepEqual(await house.differences(), {});
  });
});

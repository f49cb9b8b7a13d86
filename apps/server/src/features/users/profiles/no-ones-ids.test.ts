import assert from "node:assert/strict";
import { it } from "node:test";
import { install } from "../../../../test/devices.ts";
import { launchCampaign, messagesOf } from "../../../../test/factories.ts";
import { refusal, sharedHouse, type TestProject } from "../../../../test/harness.ts";
import { userRef } from "../../../domain/ids.ts";

const house = sharedHouse();

const WORDS = [
  "undefined",
  "null",
  // Objective-C and Swift print these.
  "(null)",
  "<null>",
  "nil",
  "NaN",
  "none",
  "0",
  "true",
  "false",
  "anonymous",
  "guest",
  "[object Object]",
  "[object Promise]",
];
const NO_ONES = [
  ...WORDS.flatMap((word) => [word, word.toUpperCase(), ` ${word}\n`, `\u200b${word}\ufeff`]),
  " ",
  "\t\n",
  "\u00a0",
  "\u200b",
  "\u2028\ufeff",
];
/** What only looks like them is an id like any other. */
const SOMEONES = [
  "00",
  "0x",
  "anonymous-7",
  "guests",
  "nul",
  "nils",
  "none of your business",
  "Trudy",
  "object",
  "[object]",
  "-",
];

const BLANK = /userId must not be blank$/;
const WORD = /userId must be the id of one user: ".+" is what programs write where they know none$/;
const ruleOf = (userId: string): RegExp =>
  WORDS.some((word) => userId.toLowerCase().includes(word.toLowerCase())) ? WORD : BLANK;

/** Each way in which a request makes a user, or writes for one. */
const waysIn = (
  project: TestProject,
  deliveryId: string,
): Record<string, (userId: string) => Promise<unknown>> => {
  const { sdk, api } = project;
  const itemError = ({ results: [result] }: { results: { ok: boolean; error?: string }[] }) => {
    if (result?.ok === false) throw Object.assign(new Error(result.error), { body: result });
  };
  return {
    identify: (userId) => sdk.identify({ body: { userId } }),
    identifyBatch: async (userId) => itemError(await api.identifyBatch({ body: { users: [{ userId }] } })),
    track: (userId) => sdk.track({ body: { userId, event: "looked" } }),
    trackBatch: async (userId) =>
      itemError(await api.trackBatch({ body: { events: [{ userId, event: "looked" }] } })),
    getMessages: (userId) => sdk.getMessages({ query: { userId } }),
    sendDeliveryFeedback: (userId) =>
      sdk.sendDeliveryFeedback({
        path: { id: deliveryId },
        body: { userId, type: "shown", feedbackId: "one" },
      }),
    setInstallationBinding: async (userId) => (await install(project)).bind(userId),
  };
};

it("what programs write where they know no user is no user, whoever asks", async () => {
  const project = await house.project();
  await launchCampaign(project);
  const [message] = await messagesOf(project, "ada");
  for (const [way, ask] of Object.entries(waysIn(project, message?.deliveryId ?? "")))
    for (const userId of NO_ONES)
      await assert.rejects(ask(userId), (error: { body: { error: string } }) => {
        assert.match(error.body.error, ruleOf(userId), `${way} ${JSON.stringify(userId)}`);
        return true;
      });
  assert.equal((await project.api.listUsers()).total, 1);
  for (const userId of SOMEONES) await project.sdk.identify({ body: { userId } });
  assert.equal((await project.api.listUsers()).total, 1 + SOMEONES.length);
});

it("a user of before with such an id is read and erased as ever", async () => {
  const project = await house.project();
  const { api, projectId } = project;
  const id = "anonymous";
  const { lane, userKey } = userRef(projectId, id);
  await house.database.pool.query(
    `insert into users (lane, user_key, project_id, external_id, traits, first_seen_at, last_seen_at)
    values ($1, $2, $3, $4, '{}', $5, $5)`,
    [lane, userKey, projectId, id, house.now()],
  );
  const campaign = await launchCampaign(project);
  assert.equal((await api.getUser({ path: { id } })).user.externalUserId, id);
  assert.equal((await api.listUserEvents({ path: { id } })).total, 0);
  assert.equal((await api.listUserDeliveries({ path: { id } })).total, 0);
  assert.equal((await api.explainCampaign({ path: { id: campaign.id }, body: { userId: id } })).userId, id);
  await api.eraseUser({ path: { id } });
  assert.equal((await refusal(api.getUser({ path: { id } }))).status, 404);
});

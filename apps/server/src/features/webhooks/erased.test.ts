import assert from "node:assert/strict";
import { afterEach, describe, it } from "node:test";
import { until } from "../../../test/commands/spawned.ts";
import { feedback, launchCampaign, messagesOf } from "../../../test/factories.ts";
import { type TestProject, testHouse } from "../../../test/harness.ts";
import { clientOf } from "../../../test/people.ts";
import { type Answer as Answered, openReceiver, type Received } from "../../../test/webhooks.ts";
import { userRef } from "../../domain/ids.ts";
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "../../platform/time/clock.ts";
import { SUBSCRIBABLE } from "./types.pure.ts";

const house = testHouse({ webhooksPrivate: true });
afterEach(async () => assert.deepEqual(await house.differences(), {}));

const USER = "okapi-19f3";
const ADDRESS = "quokka.19f3@example.com";

/** What the tables of webhooks have of the user, by table, in any column. */
async function traces({ projectId }: TestProject): Promise<string[]> {
  const { userKey } = userRef(projectId, USER);
  const found: string[] = [];
  for (const table of ["webhooks", "webhook_messages", "webhook_attempts"]) {
    const { rows } = await house.database.pool.query(
      `select from ${table} t where project_id = $1 and lower(to_jsonb(t)::text) like any($2)`,
      [projectId, [USER, ADDRESS, userKey].map((each) => `%${each}%`)],
    );
    if (rows.length > 0) found.push(table);
  }
  return found;
}

/** A user with a message, whose address was stopped; the receiver answers with what it was sent. */
async function scene(answers: (message: Received) => number | Promise<number>) {
  const project = await house.project();
  const { url, received } = await openReceiver(async (message): Promise<Answered> => {
    return { status: await answers(message), body: message.body.slice(message.body.indexOf("data")) };
  });
  await launchCampaign(project);
  const { webhook } = await project.api.createWebhook({ body: { url, types: [...SUBSCRIBABLE] } });
  const identify = (plan: string) =>
    project.sdk.identify({ body: { userId: USER, traits: { email: ADDRESS, plan } } });
  await identify("pro");
  const [message] = await messagesOf(project, USER);
  const act = (type: "shown" | "clicked") => feedback(project, message?.deliveryId ?? "", USER, type);
  const path = { id: webhook.id };
  return {
    project,
    received,
    identify,
    act,
    path,
    erase: () => project.api.eraseUser({ path: { id: USER } }),
  };
}

const typesOf = (received: readonly Received[]): string[] => received.map(({ type }) => type);
const naming = (received: readonly Received[]): string[] =>
  typesOf(received.filter(({ body }) => body.includes(USER) || body.includes(ADDRESS)));

describe("a user who is erased", () => {
  it("is named by no message that waits, but by the one that says so, until that has arrived", async () => {
    let isDown = true;
    const { project, received, identify, act, erase } = await scene(() => (isDown ? 500 : 204));
    await act("shown");
    const { client: editor } = await clientOf(house, project.projectId, "editor");
    await editor.suppressEmailAddress({ body: { address: ADDRESS } });
    await house.drain();
    house.advance(SECOND_MS);
    for (const plan of ["team", "free"]) await identify(plan);
    await act("clicked");
    assert.ok((await traces(project)).includes("webhook_attempts"), "what was answered names them");
    await erase();
    assert.deepEqual(await traces(project), ["webhook_messages"]);
    received.length = 0;
    for (let n = 0; n < 3; n++) {
      house.advance(HOUR_MS);
      await house.drain();
    }
    assert.ok(received.length > 0);
    assert.deepEqual(
      naming(received),
      naming(received).map(() => "user.erased"),
    );
    isDown = false;
    received.length = 0;
    for (let n = 0; n < 3; n++) {
      house.advance(12 * HOUR_MS);
      await house.drain();
    }
    const users = received.filter(({ type }) => type.startsWith("user."));
    assert.deepEqual(
      users.map(({ type, data }) => [type, data.userId]),
      [
        ["user.identified", null],
        ["user.identified", null],
        ["user.identified", null],
        ["user.erased", USER],
      ],
    );
    const deliveries = typesOf(received).filter((type) => type.startsWith("delivery."));
    assert.deepEqual(deliveries, ["delivery.shown", "delivery.clicked"]);
    assert.deepEqual(naming(received), ["user.erased"]);
    assert.deepEqual(await traces(project), []);
  });

  it("is named by nothing that comes after the message that says so, though something was on its way", async () => {
    const hanging = Promise.withResolvers<number>();
    let shown = 0;
    const { project, received, act, erase } = await scene(({ type }) =>
      type === "delivery.shown" && shown++ === 0 ? hanging.promise : 204,
    );
    await act("shown");
    const draining = house.drain();
    await until(() => typesOf(received).includes("delivery.shown"), "it is on its way");
    await erase();
    // It failed where it was, and comes again, and names no user.
    hanging.resolve(500);
    await draining;
    assert.ok(!typesOf(received).includes("user.erased"), "a body that names them may still be under way");
    for (let n = 0; n < 6; n++) {
      house.advance(MINUTE_MS);
      await house.drain();
    }
    const last = naming(received).lastIndexOf("user.erased");
    assert.equal(last, naming(received).length - 1);
    assert.equal(typesOf(received).filter((type) => type === "delivery.shown").length, 2);
    assert.deepEqual(await traces(project), []);
  });

  it("is a new user afterwards, whom the message that says so does not come after", async () => {
    let isDown = true;
    const { project, received, identify, erase } = await scene(() => (isDown ? 500 : 204));
    await house.drain();
    await erase();
    await house.drain();
    house.advance(SECOND_MS);
    await identify("new");
    isDown = false;
    received.length = 0;
    for (let n = 0; n < 3; n++) {
      await house.drain();
      house.advance(HOUR_MS);
    }
    const users = received.filter(({ type }) => type.startsWith("user."));
    assert.deepEqual(
      users.map(({ type, data }) => [type, data.userId]),
      [
        ["user.identified", null],
        ["user.erased", USER],
        ["user.identified", USER],
      ],
    );
    await erase();
    house.advance(HOUR_MS);
    await house.drain();
    assert.equal(typesOf(received).at(-1), "user.erased");
    assert.deepEqual(await traces(project), []);
  });
});

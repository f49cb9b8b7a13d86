import assert from "node:assert/strict";
import { after, afterEach, before, describe, it } from "node:test";
import { launchEmail, people, sendingProject } from "../../../../test/email.ts";
import { type TestProject, testHouse } from "../../../../test/harness.ts";
import { suppressionOf } from "../../../../test/mail.ts";
import { type SmtpPeer, startSmtp } from "../../../../test/peers/smtp.ts";
import { DAY_MS, HOUR_MS } from "../../../platform/time/clock.ts";
import { decideSuppression } from "./decide.ts";

const house = testHouse();
let smtp: SmtpPeer;
before(async () => {
  smtp = await startSmtp();
});
after(() => smtp.close());
afterEach(async () => assert.deepEqual(await house.differences(), {}));

const ADDRESS = "ada@example.com";
const FULL = { code: 552, text: "5.2.2 Mailbox full" };
const SPAM = { code: 550, text: "5.7.1 Looks like spam" };

/** Sends a campaign, which the address takes, or refuses in these words. */
async function send(project: TestProject, answer: typeof FULL | null): Promise<void> {
  smtp.behave({ onRecipient: () => answer });
  await launchEmail(project);
  await house.drain();
}

/** A project with one reader, whose mail is refused, or taken, at these days. */
async function reader(days: readonly (readonly [day: number, answer: typeof FULL | null])[]) {
  const project = await sendingProject(house, smtp.port, { "email.capMax": "50" });
  await people(project, ["ada"]);
  const start = house.now();
  for (const [day, answer] of days) {
    house.at(start + day * DAY_MS);
    await send(project, answer);
  }
  return project;
}

const stopOf = (project: TestProject) => suppressionOf(house, project, ADDRESS);

describe("an address that takes no mail for reasons that pass", () => {
  it("is given up with the fifth mail in a row over seven days, as one that bounced", async () => {
    const project = await reader([0, 2, 4, 6].map((day) => [day, FULL] as const));
    assert.equal(await stopOf(project), null);
    house.advance(DAY_MS);
    await send(project, FULL);
    assert.equal(await stopOf(project), "bounced");
    smtp.behave({});
    smtp.taken.length = 0;
    await launchEmail(project);
    await house.drain();
    assert.deepEqual(smtp.taken, []);
    const { subscriptions } = await project.api.getUserSubscriptions({ path: { id: "ada" } });
    assert.equal(subscriptions.stopped, true);
  });

  it("stays where the five were within a week", async () => {
    const project = await reader([0, 1, 2, 3, 4, 5, 6].map((day) => [day, FULL] as const));
    assert.equal(await stopOf(project), null);
    house.advance(DAY_MS + HOUR_MS);
    await send(project, FULL);
    assert.equal(await stopOf(project), "bounced");
  });

  it("begins anew with a mail that arrived", async () => {
    const project = await reader([
      ...[0, 3, 6].map((day) => [day, FULL] as const),
      [9, null],
      ...[12, 15, 18, 20].map((day) => [day, FULL] as const),
    ]);
    assert.equal(await stopOf(project), null);
    house.advance(DAY_MS);
    await send(project, FULL);
    assert.equal(await stopOf(project), "bounced");
  });

  it("stays where its server refuses the mail and not the address", async () => {
    const project = await reader([0, 3, 6, 9, 12, 15].map((day) => [day, SPAM] as const));
    assert.equal(await stopOf(project), null);
  });

  it("is counted anew once people let it through", async () => {
    const project = await reader([0, 3, 6, 9, 12].map((day) => [day, FULL] as const));
    assert.equal(await stopOf(project), "bounced");
    const decision = { by: "test", at: house.now() };
    await house.database.kysely
      .transaction()
      .execute((tx) => decideSuppression(tx, project.projectId, ADDRESS, "allow", decision));
    for (let mail = 0; mail < 4; mail++) {
      house.advance(3 * DAY_MS);
      await send(project, FULL);
    }
    assert.equal(await stopOf(project), null);
    house.advance(DAY_MS);
    await send(project, FULL);
    assert.equal(await stopOf(project), "bounced");
  });
});

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { explain, gateOf } from "../../../../test/eligibility.ts";
import { launchEmail, sendingProject } from "../../../../test/email.ts";
import type { TestProject } from "../../../../test/harness.ts";
import { apnsRefuses } from "../../../../test/peers/apns.ts";
import { type SmtpPeer, startSmtp } from "../../../../test/peers/smtp.ts";
import { inspect, launchPush, MESSAGE, PUSH, pushHouse, reachable } from "../../../../test/push.ts";
import { HOUR_MS, MINUTE_MS } from "../../../platform/time/clock.ts";
import { DISAGREEMENTS } from "./disagreements.test-data.ts";
import { firstFailing } from "./explained.test-data.ts";

const { house, apns, sendingProject: pushingProject } = await pushHouse();
let smtp: SmtpPeer;
before(async () => {
  smtp = await startSmtp();
});
after(() => smtp.close());

const turn = ({ api }: TestProject, id: string, action: "launch" | "pause") =>
  api.setCampaignStatus({ path: { id }, body: { action } });

/** The first gate that does not pass of a user, whether the campaign is paused or not. */
const inTheWay = async (project: TestProject, id: string, userId: string): Promise<string | null> =>
  firstFailing(await explain(project, id, userId), ["status"])?.gate ?? null;

async function stateOf({ api }: TestProject, id: string, userId: string): Promise<string | null> {
  const { deliveries } = await api.listCampaignDeliveries({ path: { id } });
  return deliveries.find(({ externalUserId }) => externalUserId === userId)?.state ?? null;
}

/** Asserts whether it is still so that a user's explanation and delivery disagree. */
function assertDisagreement(name: keyof typeof DISAGREEMENTS, disagrees: boolean): void {
  const hint = disagrees ? "it is not mended: say so" : "it is mended: say so";
  assert.equal(disagrees, DISAGREEMENTS[name], `${name}: ${hint} in DISAGREEMENTS`);
}

describe("explanations and sending of email agree", () => {
  const mailTo = async (userId: string, behaviour: Parameters<SmtpPeer["behave"]>[0]) => {
    const project = await sendingProject(house, smtp.port);
    await project.api.identify({ body: { userId, traits: { email: `${userId}@example.com` } } });
    smtp.behave(behaviour);
    const { id } = await launchEmail(project);
    await house.drain();
    smtp.behave({});
    house.advance(HOUR_MS);
    return { project, id };
  };

  it("about an address that a page changed while a mail is deferred: it waits for its confirmation before anything else", async () => {
    const { project, id } = await mailTo("ada", { onRecipient: () => ({ code: 451, text: "4.7.1 Later" }) });
    await project.api.identify({ body: { userId: "ada", traits: { email: null } } });
    await project.sdk.identify({ body: { userId: "ada", traits: { email: "no address" } } });
    assert.equal(await inTheWay(project, id, "ada"), "confirmation");
    await house.drain();
    assert.equal(await stateOf(project, id, "ada"), "retryable");
    await project.api.identify({ body: { userId: "ada", traits: { email: "no address" } } });
    assert.equal(await inTheWay(project, id, "ada"), "address");
    house.advance(HOUR_MS);
    await house.drain();
    assert.equal(await stateOf(project, id, "ada"), "failed");
  });

  it("about a mail after which the connection ended without an answer: a person decides about it", async () => {
    const { project, id } = await mailTo("bo", { onMessage: () => "drop" });
    const found = await explain(project, id, "bo");
    house.advance(24 * HOUR_MS);
    await house.drain();
    assert.equal(await stateOf(project, id, "bo"), "sending");
    const { passes, delivery, note } = gateOf(found, "delivery");
    assert.deepEqual([passes, delivery?.state, delivery?.isOpen], [false, "sending", false]);
    assert.match(note, /without an answer so far: it is never sent again by itself, and a person decides\.$/);
  });
});

describe("explanations and sending of push", () => {
  /** A campaign that is planned and has not left. */
  const planned = async (project: TestProject, body: Parameters<typeof launchPush>[1] = {}) => {
    const { id } = await launchPush(project, body);
    await project.api.dispatchCampaignPush({ path: { id } });
    await turn(project, id, "pause");
    return id;
  };

  it("planIsKept: devices, traits and time change after the plan", async () => {
    const project = await pushingProject();
    const first = await reachable(project, "token");
    const handed = await reachable(project, "handed");
    await reachable(project, "trait");
    for (const userId of ["token", "handed", "trait"])
      await project.sdk.identify({ body: { userId, traits: { name: "Ada" } } });
    const id = await planned(project, { message: { ...MESSAGE, title: "Hi {{ user.name }}" } });
    const brief = await planned(project, { push: { ...PUSH, ttlSeconds: 60 } });
    await first.put(null);
    await reachable(project, "token");
    await handed.bind("other");
    await reachable(project, "handed");
    await project.sdk.identify({ body: { userId: "trait", traits: { name: null } } });
    house.advance(2 * MINUTE_MS);
    const predicted = {
      token: await inTheWay(project, id, "token"),
      handed: await inTheWay(project, id, "handed"),
      trait: await inTheWay(project, id, "trait"),
      expired: await inTheWay(project, brief, "trait"),
    };
    for (const each of [id, brief]) await turn(project, each, "launch");
    await house.drain();
    const became = {
      token: await stateOf(project, id, "token"),
      handed: await stateOf(project, id, "handed"),
      trait: await stateOf(project, id, "trait"),
      expired: await stateOf(project, brief, "trait"),
    };
    const passes = { token: null, handed: null, trait: "message", expired: null };
    const kept = { token: "queued", handed: "failed", trait: "sent", expired: "failed" };
    const disagrees = JSON.stringify([predicted, became]) === JSON.stringify([passes, kept]);
    assertDisagreement("planIsKept", disagrees);
  });

  it("waitsUnseen: a user without a device loses a trait of the message", async () => {
    const project = await pushingProject();
    const identify = (name: string | null) =>
      project.sdk.identify({ body: { userId: "ada", traits: { name } } });
    await identify("Ada");
    const id = await planned(project, { message: { ...MESSAGE, title: "Hi {{ user.name }}" } });
    await identify(null);
    house.advance(MINUTE_MS);
    await turn(project, id, "launch");
    await house.drain();
    const [recipient] = (await inspect(project, id)).recipients;
    const reason = recipient?.state.kind === "waiting" ? recipient.state.reason : null;
    const predicted = gateOf(await explain(project, id, "ada"), "message").reason;
    assertDisagreement("waitsUnseen", predicted !== reason);
  });

  it("refusedIsPlanned: a provider refuses the credential of all devices of a user", async () => {
    const project = await pushingProject();
    await reachable(project, "ada");
    apns.behave(() => apnsRefuses(403, "InvalidProviderToken"));
    await launchPush(project);
    await house.drain();
    const { id } = await launchPush(project, { launch: false });
    const gate = await inTheWay(project, id, "ada");
    const { willReceive } = await project.api.takeCampaignCensus({ path: { id } });
    await turn(project, id, "launch");
    await house.drain();
    apns.behave(() => null);
    assert.equal(willReceive, gate === null ? 1 : 0);
    assertDisagreement("refusedIsPlanned", gate === "device" && (await stateOf(project, id, "ada")) !== null);
  });
});

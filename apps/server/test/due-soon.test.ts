import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { ensureSweepsAcrossProjects } from "../src/features/deliveries/sweep/sweep-store.ts";
import { findDueAcrossProjects as findDueMail } from "../src/features/email/sending/send/send-store.ts";
import { findDueAcrossProjects as findDuePushes } from "../src/features/push/sending/send/send-store.ts";
import type { Db } from "../src/platform/db/db.ts";
import { DAY_MS, HOUR_MS, SECOND_MS } from "../src/platform/time/clock.ts";
import type { Look } from "../src/platform/time/far-ahead.ts";
import { launchEmail, people, sendingProject } from "./email.ts";
import type { TestProject } from "./harness.ts";
import { apnsRefuses } from "./peers/apns.ts";
import { type SmtpPeer, startSmtp } from "./peers/smtp.ts";
import { launchPush, pushHouse, reachable } from "./push.ts";

const { house, apns, sendingProject: pushProject } = await pushHouse();
let smtp: SmtpPeer;
before(async () => {
  smtp = await startSmtp();
});
after(() => smtp.close());

type Find = (db: Db, look: Look) => Promise<{ projectId: string; dueAt: number }[]>;

const sweepsOf =
  (channel: "email" | "push"): Find =>
  (db, look) =>
    ensureSweepsAcrossProjects(db, channel, "due", look);

/** What a look finds of a project: the instants at which something comes due. */
async function dueOf({ projectId }: TestProject, find: Find, withinMs: number): Promise<number[]> {
  const now = house.now();
  const found = await find(house.database.kysely, { now, until: now + withinMs });
  return found.flatMap((each) => (each.projectId === projectId ? each.dueAt : []));
}

/**
 * The look names the instant at which something will come due, and nothing happens before. A look that does not reach so far finds
 * nothing.
 */
async function comesDue(project: TestProject, find: Find, count: () => number): Promise<void> {
  const [at, ...others] = await dueOf(project, find, HOUR_MS);
  assert.ok(at !== undefined && others.length === 0, `found ${at} and ${others.length} more`);
  const inMs = at - house.now();
  assert.ok(inMs > 0, `due in ${inMs} ms`);
  assert.deepEqual(await dueOf(project, find, inMs - 1), []);
  assert.deepEqual(await dueOf(project, find, inMs), [at]);
  const before = count();
  house.at(at - 1);
  await house.drain();
  assert.equal(count(), before, "nothing leaves before");
  house.at(at);
  await house.drain();
  assert.equal(count(), before + 1, "at that instant it leaves");
}

/** How often a server has taken a message. */
const mails = (): number => smtp.taken.length;
const pushes = (): number => apns.taken.length;

describe("a look for what is due finds what comes due soon, and when", () => {
  it("mail that the mail server deferred", async () => {
    const project = await sendingProject(house, smtp.port);
    await people(project, ["ada"]);
    await launchEmail(project);
    smtp.behave({ onRecipient: () => ({ code: 451, text: "4.7.1 come back later" }) });
    await house.drain();
    smtp.behave({});
    await comesDue(project, findDueMail, mails);
  });

  it("the users of a campaign that opens at an instant", async () => {
    const project = await sendingProject(house, smtp.port);
    await people(project, ["ada"]);
    await launchEmail(project, { deliverFrom: house.now() + 20 * SECOND_MS });
    await comesDue(project, sweepsOf("email"), mails);
  });

  it("no users of a campaign that closes before", async () => {
    const project = await sendingProject(house, smtp.port);
    await people(project, ["ada"]);
    const deliverUntil = house.now() + 10 * SECOND_MS;
    await launchEmail(project, { deliverUntil });
    await house.drain();
    assert.deepEqual(await dueOf(project, sweepsOf("email"), DAY_MS), []);
  });

  it("the next sweep of a campaign", async () => {
    const project = await sendingProject(house, smtp.port);
    await people(project, ["ada"]);
    await launchEmail(project);
    await house.drain();
    await people(project, ["bob"]);
    await comesDue(project, sweepsOf("email"), mails);
  });

  it("mail of a campaign whose window has closed and opens again", async () => {
    const project = await sendingProject(house, smtp.port);
    await people(project, ["ada"]);
    const { id } = await launchEmail(project);
    smtp.behave({ onRecipient: () => ({ code: 451, text: "4.7.1 come back later" }) });
    await house.drain();
    smtp.behave({});
    const [deferredUntil] = await dueOf(project, findDueMail, HOUR_MS);
    assert.ok(deferredUntil !== undefined);
    const deliverFrom = deferredUntil + 10 * SECOND_MS;
    await project.api.updateCampaign({ path: { id }, body: { deliverFrom } });
    assert.deepEqual(await dueOf(project, findDueMail, HOUR_MS), [deliverFrom]);
    await comesDue(project, findDueMail, mails);
  });

  it("a push whose provider was not ready", async () => {
    const project = await pushProject();
    await reachable(project, "ada");
    await launchPush(project);
    apns.behave(() => apnsRefuses(503, "ServiceUnavailable"));
    await house.drain();
    apns.behave(() => null);
    await comesDue(project, findDuePushes, pushes);
  });

  it("those who wait for a device", async () => {
    const project = await pushProject();
    await project.sdk.identify({ body: { userId: "ada" } });
    await launchPush(project);
    await house.drain();
    await reachable(project, "ada");
    await comesDue(project, sweepsOf("push"), pushes);
  });
});

import assert from "node:assert/strict";
import { after, afterEach, before, describe, it } from "node:test";
import { createPeopleClient } from "@tidings/client";
import { simpleParser } from "mailparser";
import { until } from "../../../../test/commands/spawned.ts";
import { launchEmail, people, progressOf, sendingProject } from "../../../../test/email.ts";
import { type TestProject, testHouse } from "../../../../test/harness.ts";
import { reportedBy, suppressionOf } from "../../../../test/mail.ts";
import { deliveryTo, type PlaceOfCampaign, queueMail, statesOf } from "../../../../test/occasions.ts";
import { type SmtpBehaviour, type SmtpPeer, startSmtp, type Taken } from "../../../../test/peers/smtp.ts";
import { giveRole, makePerson } from "../../../../test/people.ts";
import { deliveryId, uuidOf } from "../../../domain/ids.ts";
import { processes } from "../../../platform/loops/processes.ts";
import { DAY_MS, HOUR_MS } from "../../../platform/time/clock.ts";
import { linkSigner } from "./links.ts";
import { openSender, readSenderSettings } from "./open-sender.ts";
import { recordReply } from "./send/attempt.ts";
import { emailChannel } from "./send/channel.ts";
import { beginSend, type LeasedSend, leaseSends } from "./send/lease.ts";

const house = testHouse();
let smtp: SmtpPeer;
before(async () => {
  smtp = await startSmtp();
});
after(() => smtp.close());
afterEach(async () => assert.deepEqual(await house.differences(), {}));

/** Many mails to one address within a day are what these tests are about. */
const NO_CAP = { "email.capMax": "0" };

/** A campaign whose first mail Ada has got. */
async function mailed(settings: Readonly<Record<string, string>> = {}): Promise<PlaceOfCampaign> {
  const project = await sendingProject(house, smtp.port, { ...NO_CAP, ...settings });
  await people(project, ["ada"]);
  const { id: campaignId } = await launchEmail(project, {
    message: { subject: "Hello", body: "[Read on](https://shop.example/more), {{ user.name }}" },
  });
  await house.drain();
  smtp.taken.length = 0;
  return { project, campaignId };
}

const MESSAGE_ID = /^<([\w-]+)@acme\.example>$/;
const LINK = /\/e\/([\w-]+)\//g;

/** What a mail says of itself: the delivery of its Message-ID, and the deliveries and lengths of the tokens in its links. */
async function identityOf({ raw }: Taken) {
  const { read } = house.tidings.app.get(linkSigner);
  const idOf = (token: string, purpose: "link" | "message"): string | null => {
    const delivery = read(token, purpose);
    return delivery === null ? null : deliveryId(delivery);
  };
  const mail = await simpleParser(raw);
  const [, messageToken = ""] = MESSAGE_ID.exec(mail.messageId ?? "") ?? [];
  const unsubscribe = mail.headerLines.find(({ key }) => key === "list-unsubscribe")?.line ?? "";
  const texts = [mail.html || "", mail.text ?? "", unsubscribe.replaceAll(/\s/g, "")];
  const tokens = texts.map((text) => [...text.matchAll(LINK)].map(([, token = ""]) => token));
  assert.ok(tokens.every(({ length }) => length > 0));
  return {
    message: idOf(messageToken, "message"),
    links: [...new Set(tokens.flat().map((token) => idOf(token, "link")))],
    lengths: [...new Set([messageToken, ...tokens.flat()].map(({ length }) => length))],
    headers: mail.headers,
  };
}

/** The identities of what was taken, those of lower occasions first. */
const identities = async () => {
  const all = await Promise.all(smtp.taken.map(identityOf));
  return all.toSorted((one, other) => ((one.message ?? "") < (other.message ?? "") ? -1 : 1));
};

const idsOf = (place: PlaceOfCampaign, ...occasions: number[]): [string, string, string] => {
  const [one = "", two = "", three = ""] = occasions.map((occasion) => deliveryTo(place, "ada", occasion));
  return [one, two, three];
};

async function editorOf({ projectId }: TestProject) {
  const person = await makePerson(house);
  await giveRole(house, projectId, person, "editor");
  return createPeopleClient(house.url, person.headers(projectId));
}

describe("mail of a campaign on later occasions", () => {
  for (const [how, queued] of [
    ["one statement", [[1, 2]]],
    ["two statements", [[1], [2]]],
    ["two statements, the later one first", [[2], [1]]],
  ] as const)
    it(`leaves once for each, with ids and links of its own, where it is queued in ${how}`, async () => {
      const place = await mailed();
      for (const occasions of queued) await queueMail(house, place, "ada", occasions);
      // A repeat adds nothing, nor does the sweep.
      for (const occasions of [[0, 1, 2], [1]]) await queueMail(house, place, "ada", occasions);
      await house.drain();
      house.advance(HOUR_MS);
      await house.drain();
      const [first, second, third] = idsOf(place, 0, 1, 2);
      assert.deepEqual(
        [first, second, third].map((id) => id.length - "del_".length),
        [43, 48, 48],
      );
      assert.deepEqual(await statesOf(place), {
        [first]: "delivered",
        [second]: "delivered",
        [third]: "delivered",
      });
      const [one, two, ...rest] = await identities();
      assert.deepEqual([one?.message, two?.message, rest], [second, third, []]);
      assert.deepEqual([one?.links, two?.links], [[second], [third]]);
      assert.deepEqual([one?.lengths, two?.lengths], [[70], [70]]);
      const { planned, accepted } = await progressOf(place.project, place.campaignId);
      assert.deepEqual([planned, accepted], [3, 3]);
      const { stats } = (await place.project.api.getCampaign({ path: { id: place.campaignId } })).campaign;
      assert.deepEqual([stats.sent, stats.delivered], [3, 3]);
    });

  it("names itself to a provider", async () => {
    const place = await mailed();
    await reportedBy(house, place.project, "postmark", "secret of the hook");
    await queueMail(house, place, "ada", [1]);
    await house.drain();
    const [, second] = idsOf(place, 0, 1);
    const [mail] = await identities();
    assert.equal(mail?.headers.get("x-pm-metadata-delivery"), second);
    // A provider reports deliveries: acceptance is none.
    assert.equal((await statesOf(place))[second], "sent");
  });

  it("confirms an address once, however many of its messages are queued at once", async () => {
    const project = await sendingProject(house, smtp.port, NO_CAP);
    await people(project, ["ada"]);
    const deliverFrom = house.now() + DAY_MS;
    const { id: campaignId } = await launchEmail(project, { deliverFrom });
    const place = { project, campaignId };
    await queueMail(house, place, "ada", [0, 1, 2], { addressGivenAt: house.now() });
    const { rows } = await house.database.pool.query<{ addresses: number }>(
      "select sum(addresses)::int as addresses from address_intakes where project_id = $1",
      [project.projectId],
    );
    assert.deepEqual(rows, [{ addresses: 1 }]);
    assert.equal(Object.keys(await statesOf(place)).length, 3);
    smtp.taken.length = 0;
    house.at(deliverFrom);
    await house.drain();
    assert.deepEqual((await identities()).map(({ lengths }) => lengths[0]).sort(), [65, 70, 70]);
  });

  it("is never queued for a user from whom the campaign was withheld", async () => {
    const project = await sendingProject(house, smtp.port, NO_CAP);
    const { goal } = await project.api.createGoal({
      body: { name: "Sales", targetEvent: "paid", holdoutPercent: 50 },
    });
    await people(project, ["ada"]);
    const deliverFrom = house.now() + DAY_MS;
    const { id: campaignId } = await launchEmail(project, { goalId: goal.id, deliverFrom });
    const place = { project, campaignId };
    await queueMail(house, place, "ada", [0], { heldOut: true });
    await queueMail(house, place, "ada", [1], { heldOut: false });
    await queueMail(house, place, "ada", [1, 2], { heldOut: true });
    assert.deepEqual(await statesOf(place), {});
    const { rows } = await house.database.pool.query(
      "select campaign_id from withheld_deliveries where project_id = $1",
      [project.projectId],
    );
    assert.deepEqual(rows, [{ campaign_id: uuidOf("cmp", campaignId) }]);
  });

  it("counts towards the cap of its address, with the first one", async () => {
    const place = await mailed({ "email.capMax": "2", "email.capHours": "24" });
    await queueMail(house, place, "ada", [1, 2]);
    await house.drain();
    // While one is in flight the other one waits.
    house.advance(10_000);
    await house.drain();
    assert.equal(smtp.taken.length, 1);
    const states = Object.values(await statesOf(place)).toSorted();
    assert.deepEqual(states, ["delivered", "delivered", "frequency_capped"]);
    assert.equal((await progressOf(place.project, place.campaignId)).frequencyCapped, 1);
  });

  it("waits for the cap by itself where mail is postponed", async () => {
    const place = await mailed({
      "email.capMax": "1",
      "email.capHours": "24",
      "email.overCap": "postpone",
    });
    await queueMail(house, place, "ada", [1]);
    await house.drain();
    assert.equal((await progressOf(place.project, place.campaignId)).waiting, 1);
    await queueMail(house, place, "ada", [2]);
    await house.drain();
    assert.equal((await progressOf(place.project, place.campaignId)).waiting, 2);
    house.advance(24 * HOUR_MS);
    await house.drain();
    assert.equal(smtp.taken.length, 1);
    house.advance(24 * HOUR_MS);
    await house.drain();
    assert.equal(smtp.taken.length, 2);
    assert.deepEqual(
      (await identities()).map(({ message }) => message),
      idsOf(place, 1, 2).slice(0, 2),
    );
  });

  it("fails alone, and stops the others where the address does not exist", async () => {
    const place = await mailed();
    smtp.behave({ onRecipient: () => ({ code: 550, text: "5.1.1 No such user" }) });
    await queueMail(house, place, "ada", [1]);
    await house.drain();
    smtp.behave({});
    const [first, second, third] = idsOf(place, 0, 1, 2);
    assert.deepEqual(await statesOf(place), { [first]: "delivered", [second]: "bounced" });
    assert.equal(await suppressionOf(house, place.project, "ada@example.com"), "bounced");
    await queueMail(house, place, "ada", [2]);
    await house.drain();
    assert.deepEqual(await statesOf(place), {
      [first]: "delivered",
      [second]: "bounced",
      [third]: "failed",
    });
  });

  it("is withdrawn as one more message of a campaign that ends", async () => {
    const place = await mailed();
    await queueMail(house, place, "ada", [1]);
    await place.project.api.setCampaignStatus({ path: { id: place.campaignId }, body: { action: "end" } });
    await house.drain();
    assert.equal(smtp.taken.length, 0);
    const [first, second] = idsOf(place, 0, 1);
    assert.deepEqual(await statesOf(place), { [first]: "delivered", [second]: "withdrawn" });
  });
});

describe("mail on a later occasion whose fate is unknown", () => {
  /** Ada's mail of occasions 1 and 2 was handed over without an answer. */
  async function lost() {
    const place = await mailed();
    smtp.behave({ onMessage: () => "drop" });
    await queueMail(house, place, "ada", [1, 2]);
    await house.drain();
    smtp.behave({});
    smtp.taken.length = 0;
    const editor = await editorOf(place.project);
    const [first, second, third] = idsOf(place, 0, 1, 2);
    const unknownIds = async (perPage = 20, page = 1) =>
      (await editor.listUnknownSends({ query: { perPage, page } })).sends.map(({ deliveryId: id }) => id);
    assert.deepEqual(new Set(await unknownIds()), new Set([second, third]));
    return { place, editor, first, second, third, unknownIds };
  }

  it("is listed by itself, in pages", async () => {
    const { second, third, unknownIds } = await lost();
    assert.deepEqual([...(await unknownIds(1, 1)), ...(await unknownIds(1, 2))], [second, third]);
  });

  it("is marked as sent by itself", async () => {
    const { place, editor, first, second, third, unknownIds } = await lost();
    const decided = await editor.decideUnknownSends({
      body: { verdict: "sent", deliveryIds: [second, second, first] },
    });
    assert.deepEqual(decided.decided, [second]);
    assert.deepEqual(decided.refused, [{ deliveryId: first, because: "not_unknown", status: "accepted" }]);
    assert.deepEqual(await unknownIds(), [third]);
    assert.deepEqual(await statesOf(place), {
      [first]: "delivered",
      [second]: "delivered",
      [third]: "sending",
    });
  });

  it("is sent again by itself", async () => {
    const { place, editor, second, third, unknownIds } = await lost();
    const decided = await editor.decideUnknownSends({ body: { verdict: "resend", deliveryIds: [third] } });
    assert.deepEqual(decided, { decided: [third], refused: [] });
    await house.drain();
    assert.deepEqual(
      (await identities()).map(({ message }) => message),
      [third],
    );
    assert.deepEqual(await unknownIds(), [second]);
    assert.equal((await statesOf(place))[second], "sending");
    assert.equal((await statesOf(place))[third], "delivered");
    // An occasion that there never was is none.
    const none = deliveryTo(place, "ada", 3);
    const refused = await editor.decideUnknownSends({ body: { verdict: "resend", deliveryIds: [none] } });
    assert.deepEqual(refused.refused, [{ deliveryId: none, because: "not_found", status: null }]);
  });

  it("has one effect where both are decided at once, in any order", async () => {
    const { editor, second, third, unknownIds } = await lost();
    const answers = await Promise.all([
      editor.decideUnknownSends({ body: { verdict: "sent", deliveryIds: [second, third] } }),
      editor.decideUnknownSends({ body: { verdict: "resend", deliveryIds: [third, second] } }),
    ]);
    assert.deepEqual(answers.flatMap(({ decided }) => decided).toSorted(), [second, third].toSorted());
    await house.drain();
    assert.deepEqual(await unknownIds(), []);
    assert.equal(smtp.taken.length, answers[1].decided.length);
  });
});

describe("mail on two occasions while a process goes away", () => {
  /** Leases Ada's mail of occasions 1 and 2, so that only the database knows of the leases. */
  async function leaseBoth() {
    const { app } = house.tidings;
    const place = await mailed();
    await queueMail(house, place, "ada", [1, 2]);
    const { projectId } = place.project;
    const settings = await readSenderSettings({ app, db: house.database.kysely, projectId }, "marketing");
    const terms = {
      purpose: "marketing" as const,
      projectId,
      leaseOwner: app.get(processes).leaseOwner(),
      settings,
    };
    const { leased } = await leaseSends(app, terms, place.campaignId.slice("cmp_".length));
    const [one, two] = leased.toSorted((a, b) => a.occasion - b.occasion);
    assert.ok(one && two && leased.length === 2);
    const sender = await openSender(app, projectId);
    assert.ok(!("fault" in sender));
    const statuses = async (): Promise<Record<number, string>> => {
      const { rows } = await house.database.pool.query<{ occasion: number; status: string }>(
        "select occasion, status from email_sends where project_id = $1 and occasion > 0",
        [projectId],
      );
      return Object.fromEntries(rows.map(({ occasion, status }) => [occasion, status]));
    };
    return { app, place, sender, one, two, statuses };
  }

  const begin = async (leased: LeasedSend): Promise<number> => {
    const { ordinal } = await beginSend(house.tidings.app, leased, 1);
    assert.equal(ordinal, 1);
    return 1;
  };

  it("is unknown on the occasion that was begun, and sent on the other one", async () => {
    const { place, two, statuses } = await leaseBoth();
    await begin(two);
    house.advance(31_000);
    await house.drain();
    assert.deepEqual(await statuses(), { 1: "accepted", 2: "unknown" });
    assert.deepEqual(
      (await identities()).map(({ message }) => message),
      [idsOf(place, 1)[0]],
    );
  });

  it("is given up on the occasion that is not being sent alone", async () => {
    const { app, one, two, statuses } = await leaseBoth();
    for (const each of [one, two]) await begin(each);
    app.get(emailChannel.inFlight).add(one);
    house.advance(31_000);
    await house.drain();
    assert.deepEqual(await statuses(), { 1: "sending", 2: "unknown" });
    app.get(emailChannel.inFlight).delete(one);
    await house.drain();
    assert.deepEqual(await statuses(), { 1: "unknown", 2: "unknown" });
  });

  it("takes an answer that comes late for its own occasion", async () => {
    const { app, place, sender, one, two, statuses } = await leaseBoth();
    for (const each of [one, two]) await begin(each);
    house.advance(31_000);
    await house.drain();
    const reply = { kind: "accepted", code: 250, response: "2.0.0 Ok" } as const;
    await recordReply(app, sender, two, 1, reply);
    assert.deepEqual(await statuses(), { 1: "unknown", 2: "accepted" });
    assert.equal((await statesOf(place))[idsOf(place, 2)[0]], "delivered");
  });

  it("takes both answers of one instant in one group", async () => {
    const { app, sender, one, two, statuses } = await leaseBoth();
    for (const each of [one, two]) await begin(each);
    await Promise.all([
      recordReply(app, sender, one, 1, { kind: "accepted", code: 250, response: "Ok" }),
      recordReply(app, sender, two, 1, { kind: "rejected", stage: "message", code: 554, response: "No" }),
    ]);
    assert.deepEqual(await statuses(), { 1: "accepted", 2: "failed" });
  });
});

describe("mail on two occasions that is on the wire while its user is erased", () => {
  async function duringErasure(behaviour: (turn: () => Promise<void>) => SmtpBehaviour) {
    const place = await mailed();
    const { project, campaignId } = place;
    const release = Promise.withResolvers<void>();
    const bothThere = Promise.withResolvers<void>();
    let arrived = 0;
    smtp.behave(
      behaviour(async () => {
        if (++arrived === 2) bothThere.resolve();
        await release.promise;
      }),
    );
    await queueMail(house, place, "ada", [1, 2]);
    const draining = house.drain();
    try {
      await bothThere.promise;
      await project.api.eraseUser({ path: { id: "ada" } });
      assert.equal((await progressOf(project, campaignId)).sending, 2);
    } finally {
      release.resolve();
    }
    await draining;
    await until(
      async () => (await progressOf(project, campaignId)).sending === 0,
      "both answers are written",
    );
    smtp.behave({});
    const { rows } = await house.database.pool.query(
      `select s.occasion, s.status, s.reason, s.moved_from, o.response from email_sends s
      join email_outcomes o using (lane, user_key, campaign_id, occasion) where s.project_id = $1 order by 1`,
      [project.projectId],
    );
    return { place, rows };
  }

  const NOTHING_OF_THEM = { reason: null, moved_from: null, response: null };

  it("was accepted on both, where the server takes it", async () => {
    const { place, rows } = await duringErasure((turn) => ({
      onMessage: async () => {
        await turn();
        return null;
      },
    }));
    assert.deepEqual(
      rows,
      [0, 1, 2].map((occasion) => ({ occasion, status: "accepted", ...NOTHING_OF_THEM })),
    );
    const { stats } = (await place.project.api.getCampaign({ path: { id: place.campaignId } })).campaign;
    assert.equal(stats.sent, 3);
    const ids = Object.keys(await statesOf(place));
    assert.deepEqual(ids.map((id) => id.length).toSorted(), [47, 52, 52]);
    for (const occasion of [0, 1, 2]) assert.ok(!ids.includes(deliveryTo(place, "ada", occasion)));
  });

  it("has on each the answer of its own", async () => {
    const { rows } = await duringErasure((turn) => ({
      onMessage: async (message) => {
        await turn();
        const { message: id } = await identityOf(message);
        return id?.endsWith("AAAAC") ? { code: 554, text: "5.6.0 Refused for ada@example.com" } : null;
      },
    }));
    assert.deepEqual(rows, [
      { occasion: 0, status: "accepted", ...NOTHING_OF_THEM },
      { occasion: 1, status: "accepted", ...NOTHING_OF_THEM },
      { occasion: 2, status: "failed", ...NOTHING_OF_THEM },
    ]);
  });
});

describe("a campaign that was sent again", () => {
  it("explains and counts its users by the first occasion", async () => {
    const place = await mailed();
    const { project, campaignId } = place;
    await people(project, ["ben"]);
    await queueMail(house, place, "ada", [1, 2]);
    await house.drain();
    const path = { id: campaignId };
    const { outcome, gates } = await project.api.explainCampaign({ path, body: { userId: "ada" } });
    assert.equal(outcome, "delivered");
    const found = gates.find(({ gate }) => gate === "delivery");
    assert.ok(found?.gate === "delivery");
    assert.equal(found.delivery?.id, deliveryTo(place, "ada", 0));
    const { matched, alreadyDelivered, reachable } = await project.api.takeCampaignCensus({ path });
    assert.deepEqual([matched, alreadyDelivered, reachable], [2, 1, 1]);
  });
});

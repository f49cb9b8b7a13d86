import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { explain, gateOf, shortly } from "../../../test/eligibility.ts";
import { launchEmail, sendingProject, setSettings } from "../../../test/email.ts";
import { refusal, type TestProject, testHouse } from "../../../test/harness.ts";
import { type SmtpPeer, startSmtp } from "../../../test/peers/smtp.ts";
import { clientOf } from "../../../test/people.ts";
import { HOUR_MS, MINUTE_MS } from "../../platform/time/clock.ts";

const house = testHouse();
let smtp: SmtpPeer;
before(async () => {
  smtp = await startSmtp();
});
after(() => smtp.close());

const sending = (settings: Readonly<Record<string, string>> = {}) =>
  sendingProject(house, smtp.port, settings);

/** Users with a time zone of their own, or none (null), and an address of a domain of the project. */
async function readers(project: TestProject, zones: Readonly<Record<string, string | null>>): Promise<void> {
  for (const [userId, zone] of Object.entries(zones))
    await project.api.identify({
      body: {
        userId,
        traits: {
          email: `${userId}@${project.projectId}.example`,
          ...(zone === null ? {} : { $timezone: zone }),
        },
      },
    });
}

/** The users of a project whose mail was taken while the loops ran. */
async function came({ projectId }: TestProject): Promise<string[]> {
  const first = smtp.taken.length;
  await house.drain();
  const users = smtp.taken.slice(first).map(({ to }) => to.split("@"));
  return users
    .flatMap(([user, domain]) => (user !== undefined && domain === `${projectId}.example` ? [user] : []))
    .sort();
}

/** Sets the clock to the next instant at which clocks of UTC show this. */
function toHour(hour: number, minute = 0): void {
  const day = Math.floor(house.now() / (24 * HOUR_MS)) * 24 * HOUR_MS;
  const at = day + hour * HOUR_MS + minute * MINUTE_MS;
  house.at(at > house.now() ? at : at + 24 * HOUR_MS);
}

const emailOf = async ({ api }: TestProject, id: string) => {
  const { planned, waiting, accepted, postponed, postponedBy, withdrawn, frequencyCapped } =
    await api.getCampaignEmail({
      path: { id },
    });
  return { planned, waiting, accepted, postponed, ...postponedBy, withdrawn, frequencyCapped };
};
const NONE = {
  planned: 1,
  waiting: 0,
  accepted: 0,
  postponed: 0,
  localHour: 0,
  quiet: 0,
  pressure: 0,
  cap: 0,
  withdrawn: 0,
  frequencyCapped: 0,
};

describe("a campaign with an hour", () => {
  it("leaves at nine of each reader, once, and says so before", async () => {
    const project = await sending({ "time.zone": "Europe/Berlin" });
    await readers(project, { tokyo: "Asia/Tokyo", berlin: null, york: "America/New_York" });
    toHour(12);
    const sendTime = { at: "09:00", zone: "user" };
    const draft = await launchEmail(project, { name: "Draft", sendTime, launch: false });
    const { later, reachable, willReceive } = await project.api.takeCampaignCensus({
      path: { id: draft.id },
    });
    assert.deepEqual([reachable, willReceive, later], [3, 3, { localHour: 3, quiet: 0, pressure: 0 }]);
    const { id } = await launchEmail(project, { sendTime });
    assert.deepEqual(await came(project), []);
    const noon = house.now();
    const waits = await explain(project, id, "york");
    assert.deepEqual([waits.outcome, waits.blockedBy], ["delivered", "time"]);
    assert.equal(gateOf(waits, "time").until, noon + 2 * HOUR_MS, "nine in winter is 14:00 UTC");
    const before = await explain(project, draft.id, "tokyo");
    assert.deepEqual(gateOf(before, "time").zone, "Asia/Tokyo");
    assert.deepEqual(await emailOf(project, id), {
      ...NONE,
      planned: 3,
      waiting: 3,
      postponed: 3,
      localHour: 3,
    });
    house.at(noon + 2 * HOUR_MS - 1);
    assert.deepEqual(await came(project), []);
    house.at(noon + 2 * HOUR_MS);
    assert.deepEqual(await came(project), ["york"]);
    house.at(noon + 12 * HOUR_MS);
    assert.deepEqual(await came(project), ["tokyo"]);
    house.at(noon + 20 * HOUR_MS);
    assert.deepEqual(await came(project), ["berlin"]);
    house.at(noon + 72 * HOUR_MS);
    assert.deepEqual(await came(project), []);
    assert.deepEqual(await emailOf(project, id), { ...NONE, planned: 3, accepted: 3 });
    assert.deepEqual(await house.differences(), {});
  });

  it("is changed, taken away and given while messages wait: they leave by the rule of now", async () => {
    const project = await sending();
    await readers(project, { ada: null });
    toHour(12);
    const { id } = await launchEmail(project, { sendTime: { at: "09:00", zone: "UTC" } });
    assert.deepEqual(await came(project), []);
    const path = { id };
    await project.api.updateCampaign({
      path,
      body: {
        sendTime: { at: "13:30", zone: "UTC", weekdays: ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] },
      },
    });
    house.advance(2_000);
    assert.deepEqual(await came(project), []);
    toHour(13, 30);
    assert.deepEqual(await came(project), ["ada"]);
    const other = await launchEmail(project, { name: "Other", sendTime: { at: "09:00", zone: "UTC" } });
    assert.deepEqual(await came(project), []);
    await project.api.updateCampaign({ path: { id: other.id }, body: { sendTime: null } });
    house.advance(2_000);
    assert.deepEqual(await came(project), ["ada"]);
    assert.deepEqual(await house.differences(), {});
  });

  it("keeps each new reader to the next time that it comes", async () => {
    const project = await sending();
    await readers(project, { ada: null });
    toHour(9);
    const { id } = await launchEmail(project, { sendTime: { at: "09:00", zone: "user" } });
    assert.deepEqual(await came(project), ["ada"]);
    toHour(15);
    await readers(project, { ben: null });
    assert.deepEqual(await came(project), []);
    toHour(9);
    assert.deepEqual(await came(project), ["ben"]);
    assert.equal((await emailOf(project, id)).accepted, 2);
  });

  const refused: readonly [string, Record<string, unknown>, RegExp][] = [
    ["an hour that is none", { sendTime: { at: "24:00", zone: "user" } }, /sendTime\.at/],
    ["an hour without a zone", { sendTime: { at: "09:00" } }, /sendTime\.zone/],
    [
      "a zone that is none",
      { sendTime: { at: "09:00", zone: "Mars/Olympus" } },
      /sendTime\.zone must be user/,
    ],
    ["a long zone", { sendTime: { at: "09:00", zone: "x".repeat(65) } }, /sendTime\.zone/],
    ["a zone with NUL", { sendTime: { at: "09:00", zone: "U\0TC" } }, /sendTime\.zone/],
    ["no days", { sendTime: { at: "09:00", zone: "user", weekdays: [] } }, /sendTime\.weekdays/],
    [
      "a day twice",
      { sendTime: { at: "09:00", zone: "user", weekdays: ["mon", "mon"] } },
      /sendTime\.weekdays must not/,
    ],
    [
      "a day that is none",
      { sendTime: { at: "09:00", zone: "user", weekdays: ["monday"] } },
      /sendTime\.weekdays/,
    ],
    ["a field too many", { sendTime: { at: "09:00", zone: "user", day: 1 } }, /sendTime/],
    ["a priority of 6", { priority: 6 }, /priority/],
    ["half a priority", { priority: 2.5 }, /priority/],
    ["no patience", { patienceHours: 0 }, /patienceHours/],
    ["urgent as a text", { urgent: "yes" }, /urgent/],
  ];
  for (const [name, fields, expected] of refused)
    it(`refuses ${name}, and names the field`, async () => {
      const project = await house.project();
      const body = {
        name: "X",
        channel: "email",
        message: { subject: "Hi", body: "Hi" },
        ...fields,
      } as never;
      const { status, error } = await refusal(project.api.createCampaign({ body }));
      assert.equal(status, 400);
      assert.match(String(error), expected);
    });

  it("is refused for web campaigns and templates, when they are made and when they are changed", async () => {
    const { api } = await house.project();
    const message = { presentation: "toast" as const, title: "Hi" };
    const sendTime = { at: "09:00", zone: "user" };
    for (const fields of [{ sendTime }, { urgent: true }, { priority: 4 }, { patienceHours: 5 }]) {
      const [field] = Object.keys(fields);
      const made = await refusal(api.createCampaign({ body: { name: "Web", message, ...fields } }));
      assert.match(String(made.error), new RegExp(`^${field} is for email and push campaigns only`));
      const template = { name: "T", channel: "email" as const, purpose: "transactional" as const, key: "t" };
      const mail = { subject: "Hi", body: "Hi" };
      const other = await refusal(api.createCampaign({ body: { ...template, message: mail, ...fields } }));
      assert.match(String(other.error), new RegExp(`^${field} is for email`));
      const { campaign } = await api.createCampaign({ body: { name: "Web", message } });
      const changed = await refusal(api.updateCampaign({ path: { id: campaign.id }, body: fields }));
      assert.match(String(changed.error), new RegExp(`^${field} is for email`));
    }
  });
});

describe("quiet hours", () => {
  it("keep mail until they are over for each reader, but not what is urgent", async () => {
    const project = await sending({ "time.quiet": "21:00-08:00" });
    await readers(project, { tokyo: "Asia/Tokyo", utc: null });
    toHour(22);
    const { id } = await launchEmail(project);
    const night = house.now();
    assert.deepEqual(await came(project), []);
    assert.deepEqual(await emailOf(project, id), { ...NONE, planned: 2, waiting: 2, postponed: 2, quiet: 2 });
    const waits = await explain(project, id, "tokyo");
    assert.deepEqual([shortly(waits), gateOf(waits, "quiet").until], ["delivered by quiet", night + HOUR_MS]);
    const urgent = await launchEmail(project, { name: "Urgent", urgent: true });
    assert.deepEqual(await came(project), ["tokyo", "utc"]);
    assert.equal(shortly(await explain(project, urgent.id, "tokyo")), "delivered by delivery");
    house.at(night + HOUR_MS);
    assert.deepEqual(await came(project), ["tokyo"]);
    house.at(night + 10 * HOUR_MS - 1);
    assert.deepEqual(await came(project), []);
    house.at(night + 10 * HOUR_MS);
    assert.deepEqual(await came(project), ["utc"]);
    assert.deepEqual(await house.differences(), {});
  });

  it("follow the settings while mail waits: shorter, in another zone, none", async () => {
    const project = await sending({ "time.quiet": "21:00-08:00" });
    await readers(project, { ada: null });
    toHour(22);
    await launchEmail(project);
    assert.deepEqual(await came(project), []);
    await setSettings(house, project, { "time.quiet": "21:00-23:00" });
    house.advance(2_000);
    assert.deepEqual(await came(project), []);
    toHour(23);
    assert.deepEqual(await came(project), ["ada"]);
    toHour(22);
    await launchEmail(project, { name: "Second" });
    assert.deepEqual(await came(project), []);
    await setSettings(house, project, { "time.zone": "Asia/Tokyo" });
    house.advance(2_000);
    assert.deepEqual(await came(project), ["ada"], "it is seven in the morning there");
    toHour(13);
    await launchEmail(project, { name: "Third" });
    assert.deepEqual(await came(project), []);
    await setSettings(house, project, { "time.quiet": "" });
    house.advance(2_000);
    assert.deepEqual(await came(project), ["ada"]);
  });

  it("say in an explanation and a census what then happens", async () => {
    const project = await sending({ "time.quiet": "21:00-08:00" });
    await readers(project, { tokyo: "Asia/Tokyo", utc: null, la: "America/Los_Angeles" });
    toHour(23, 30);
    const { id } = await launchEmail(project, { launch: false });
    const { later, willReceive } = await project.api.takeCampaignCensus({ path: { id } });
    assert.deepEqual([later, willReceive], [{ localHour: 0, quiet: 1, pressure: 0 }, 3]);
    await project.api.setCampaignStatus({ path: { id }, body: { action: "launch" } });
    const outcomes = await Promise.all(
      ["tokyo", "utc", "la"].map(async (user) => shortly(await explain(project, id, user))),
    );
    assert.deepEqual(outcomes, ["would_receive", "postponed by quiet", "would_receive"]);
    assert.deepEqual(await came(project), ["la", "tokyo"]);
  });

  for (const [key, value] of [
    ["time.quiet", "21-8"],
    ["time.quiet", "08:00-08:00"],
    ["time.zone", "Mars/Olympus"],
    ["pressure.counts", "email, web"],
    ["pressure.counts", "email, email"],
    ["pressure.max", "-1"],
    ["pressure.hours", "721"],
  ] as const)
    it(`are not set to ${key}=${value}`, async () => {
      const project = await house.project();
      await assert.rejects(
        setSettings(house, project, { [key]: value }),
        new RegExp(`^\\w*Error: ${key} must be`),
      );
    });
});

describe("pressure", () => {
  it("lets a reader have so many, and the next one when the first is old enough", async () => {
    const project = await sending({ "pressure.max": "1", "pressure.hours": "24", "email.capMax": "0" });
    await readers(project, { ada: null });
    toHour(12);
    await launchEmail(project, { name: "First" });
    assert.deepEqual(await came(project), ["ada"]);
    const firstAt = house.now();
    house.advance(HOUR_MS);
    const draft = await launchEmail(project, { name: "Draft", launch: false });
    assert.deepEqual((await project.api.takeCampaignCensus({ path: { id: draft.id } })).later, {
      localHour: 0,
      quiet: 0,
      pressure: 1,
    });
    const second = await launchEmail(project, { name: "Second" });
    assert.equal(shortly(await explain(project, second.id, "ada")), "postponed by pressure");
    assert.deepEqual(await came(project), []);
    assert.equal(gateOf(await explain(project, second.id, "ada"), "pressure").until, firstAt + 24 * HOUR_MS);
    assert.deepEqual(await emailOf(project, second.id), { ...NONE, waiting: 1, postponed: 1, pressure: 1 });
    house.at(firstAt + 24 * HOUR_MS - 1);
    assert.deepEqual(await came(project), []);
    house.at(firstAt + 24 * HOUR_MS);
    assert.deepEqual(await came(project), ["ada"]);
    assert.deepEqual(await house.differences(), {});
  });

  it("lets those with the highest priority go first, then the oldest", async () => {
    const project = await sending({ "pressure.max": "1", "pressure.hours": "10", "email.capMax": "0" });
    await readers(project, { ada: null });
    const ids: string[] = [];
    for (const priority of [3, 1, 5, 3]) {
      const { id } = await launchEmail(project, { name: `P${priority}`, priority });
      ids.push(id);
      house.advance(1_000);
      // The first one is on its way before there are others.
      if (ids.length === 1) await house.drain();
    }
    await house.drain();
    const order: number[] = [];
    for (let turn = 0; turn < 3; turn++) {
      house.advance(10 * HOUR_MS);
      for (let seconds = 0; seconds < 4; seconds++) {
        house.advance(6_000);
        await house.drain();
      }
      for (const [at, id] of ids.entries())
        if (!order.includes(at) && (await emailOf(project, id)).accepted === 1) order.push(at);
    }
    assert.deepEqual(order, [0, 2, 3, 1]);
  });

  it("of a topic limits its messages alone; without one any number leaves", async () => {
    const project = await sending({ "email.capMax": "0" });
    await readers(project, { ada: null });
    const topic = { key: "tips", name: "Tips", isDefault: "in" as const, max: 1, days: 7 };
    const { topic: tips } = await project.api.createTopic({ body: topic });
    assert.deepEqual([tips.max, tips.days], [1, 7]);
    const first = await launchEmail(project, { name: "T1", topicId: tips.id });
    assert.deepEqual(await came(project), ["ada"]);
    const second = await launchEmail(project, { name: "T2", topicId: tips.id, patienceHours: 720 });
    assert.deepEqual(await came(project), []);
    await launchEmail(project, { name: "Other" });
    assert.deepEqual(await came(project), ["ada"]);
    house.advance(7 * 24 * HOUR_MS);
    assert.deepEqual(await came(project), ["ada"]);
    assert.deepEqual(
      [(await emailOf(project, first.id)).accepted, (await emailOf(project, second.id)).accepted],
      [1, 1],
    );
    await launchEmail(project, { name: "T3", topicId: tips.id, patienceHours: 720 });
    assert.deepEqual(await came(project), []);
    await project.api.updateTopic({ path: { id: "tips" }, body: { max: null, days: null } });
    house.advance(2_000);
    assert.deepEqual(await came(project), ["ada"]);
    const half = await refusal(project.api.updateTopic({ path: { id: "tips" }, body: { max: 2 } }));
    assert.deepEqual([half.status, half.error], [400, "days is required with max, or both are null"]);
    const made = await refusal(project.api.createTopic({ body: { ...topic, key: "half", max: null } }));
    assert.equal(made.error, "max is required with days, or both are null");
  });

  it("withdraws what it keeps for longer than the campaign has patience, and says so", async () => {
    const project = await sending({ "pressure.max": "1", "pressure.hours": "100", "email.capMax": "0" });
    await readers(project, { ada: null });
    await launchEmail(project, { name: "First" });
    assert.deepEqual(await came(project), ["ada"]);
    const { id } = await launchEmail(project, { name: "Second", patienceHours: 5 });
    const before = await explain(project, id, "ada");
    assert.equal(shortly(before), "blocked by pressure");
    assert.match(gateOf(before, "pressure").note, /has no patience until then: it is withdrawn/);
    assert.deepEqual(await came(project), []);
    house.advance(5 * HOUR_MS - 1);
    assert.deepEqual(await came(project), []);
    assert.equal((await emailOf(project, id)).waiting, 1);
    house.advance(1);
    assert.deepEqual(await came(project), []);
    assert.deepEqual(await emailOf(project, id), { ...NONE, withdrawn: 1 });
    const { deliveries } = await project.api.listCampaignDeliveries({
      path: { id },
      query: { state: "withdrawn" },
    });
    assert.deepEqual(
      deliveries.map(({ state, sentAt }) => [state, sentAt]),
      [["withdrawn", null]],
    );
    assert.match(
      gateOf(await explain(project, id, "ada"), "delivery").note,
      /was withdrawn, because it was postponed/,
    );
    house.advance(200 * HOUR_MS);
    assert.deepEqual(await came(project), []);
    assert.deepEqual(await house.differences(), {});
  });

  it("counts mail without an answer, and a person who has that sent again is not out of patience", async () => {
    const project = await sending({ "pressure.max": "1", "pressure.hours": "100", "email.capMax": "0" });
    await readers(project, { ada: null });
    toHour(12);
    smtp.behave({ onMessage: () => "drop" });
    const first = await launchEmail(project, { name: "First", patienceHours: 1 });
    await house.drain();
    smtp.behave({});
    assert.equal((await project.api.getCampaignEmail({ path: { id: first.id } })).unknown, 1);
    const second = await launchEmail(project, { name: "Second", patienceHours: 720 });
    assert.deepEqual(await came(project), []);
    assert.equal((await emailOf(project, second.id)).pressure, 1);
    await setSettings(house, project, { "time.quiet": "21:00-08:00" });
    toHour(22);
    const { deliveries } = await project.api.listCampaignDeliveries({ path: { id: first.id } });
    const { client: editor } = await clientOf(house, project.projectId, "editor");
    const deliveryIds = deliveries.map(({ id }) => id);
    const { decided } = await editor.decideUnknownSends({ body: { verdict: "resend", deliveryIds } });
    assert.deepEqual(decided, deliveryIds);
    assert.deepEqual(await came(project), []);
    assert.deepEqual(await emailOf(project, first.id), { ...NONE, waiting: 1, postponed: 1, quiet: 1 });
    assert.equal(shortly(await explain(project, first.id, "ada")), "delivered by quiet");
    toHour(8);
    assert.deepEqual(await came(project), ["ada"]);
    assert.deepEqual(await house.differences(), {});
  });

  it("is passed by receipts, which count for it as little", async () => {
    const project = await sending({ "pressure.max": "1", "time.quiet": "00:00-23:59", "email.capMax": "0" });
    await readers(project, { ada: null });
    toHour(12);
    const { campaign } = await project.api.createCampaign({
      body: {
        name: "Receipt",
        channel: "email",
        purpose: "transactional",
        key: "receipt",
        launch: true,
        message: { subject: "Thanks", body: "Thanks" },
      },
    });
    for (let n = 0; n < 2; n++)
      await project.api.sendMail({ body: { template: "receipt", to: { userId: "ada" }, data: {} } });
    assert.deepEqual(await came(project), ["ada", "ada"]);
    assert.equal(campaign.purpose, "transactional");
    await setSettings(house, project, { "time.quiet": "" });
    await launchEmail(project);
    assert.deepEqual(await came(project), ["ada"]);
  });
});

describe("what settings would have held back", () => {
  it("counts the messages of last week by the hours of their readers, and those beyond", async () => {
    const project = await sending({ "email.capMax": "0" });
    await readers(project, { tokyo: "Asia/Tokyo", utc: null });
    toHour(12);
    for (const name of ["One", "Two", "Three"]) {
      await launchEmail(project, { name });
      await house.drain();
      house.advance(HOUR_MS);
    }
    const { client: person } = await clientOf(house, project.projectId, "viewer");
    const preview = (settings: Record<string, string>) => person.previewTiming({ body: { settings } });
    const { since, ...all } = await preview({ "time.quiet": "21:00-08:00", "pressure.max": "2" });
    assert.equal(since, house.now() - 7 * 24 * HOUR_MS);
    // It was 21, 22 and 23 in Tokyo.
    assert.deepEqual(all, { messages: 6, quiet: 3, pressure: 2, readers: 2 });
    assert.deepEqual((await preview({})).quiet, 0);
    assert.deepEqual((await preview({ "pressure.max": "1", "pressure.hours": "1" })).pressure, 0);
    const fault = await refusal(preview({ "time.quiet": "late" }));
    assert.deepEqual([fault.status, /^time\.quiet must be/.test(String(fault.error))], [400, true]);
    house.advance(8 * 24 * HOUR_MS);
    assert.equal((await preview({ "pressure.max": "1" })).messages, 0);
  });
});

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import fc from "fast-check";
import { explain, gateOf, shortly } from "../../../../../test/eligibility.ts";
import { launchEmail, people, sendingProject, setSettings } from "../../../../../test/email.ts";
import { type TestProject, testHouse } from "../../../../../test/harness.ts";
import { type SmtpPeer, startSmtp } from "../../../../../test/peers/smtp.ts";
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "../../../../platform/time/clock.ts";
import { instantIn } from "../../../deliveries/gates/words.pure.ts";
import { addressRef, suppressAddress } from "../../addresses/public.ts";
import { resendThese } from "../unknown/decide.ts";

// With a databaseUrl two servers may work on one database.
const house = testHouse({ databaseUrl: "postgres://elsewhere" });
let smtp: SmtpPeer;
before(async () => {
  smtp = await startSmtp();
});
after(() => smtp.close());

/** A project that postpones what is over its cap: one mail in ten hours. */
const postponing = (settings: Readonly<Record<string, string>> = {}) =>
  sendingProject(house, smtp.port, {
    "email.capMax": "1",
    "email.capHours": "10",
    "email.overCap": "postpone",
    ...settings,
  });

const mailOf = async ({ api }: TestProject, id: string) => {
  const { planned, waiting, postponed, accepted, failed, suppressed, frequencyCapped } =
    await api.getCampaignEmail({ path: { id } });
  return { planned, waiting, postponed, accepted, failed, suppressed, frequencyCapped };
};
const NOTHING = { waiting: 0, postponed: 0, accepted: 0, failed: 0, suppressed: 0, frequencyCapped: 0 };
const WAITS = { ...NOTHING, planned: 1, waiting: 1, postponed: 1 };
const CAME = { ...NOTHING, planned: 1, accepted: 1 };

/** Addresses of a project's users have a domain of its own: mail of other tests may leave at the same instant. */
const domainOf = ({ projectId }: TestProject): string => `${projectId}.example`;

/** The users of a project whose mail was taken while the loops ran. */
async function drained(project: TestProject): Promise<string[]> {
  const first = smtp.taken.length;
  await house.drain();
  const came = smtp.taken.slice(first).map(({ to }) => to.split("@"));
  return came.flatMap(([user, domain]) => (user !== undefined && domain === domainOf(project) ? [user] : []));
}

/** Launches a campaign that reaches its users, and then another one, which the cap postpones. */
async function oneThatWaits(project: TestProject, users: readonly string[] = ["ada"]) {
  await people(project, users, domainOf(project));
  await launchEmail(project, { name: "First" });
  await house.drain();
  const firstAt = house.now();
  house.advance(HOUR_MS);
  const { id } = await launchEmail(project, { name: "Second" });
  await house.drain();
  return { id, freeAt: firstAt + 10 * HOUR_MS };
}

describe("mail over the cap that is postponed", () => {
  it("leaves with the millisecond in which the cap allows it, once, and is counted as waiting until then", async () => {
    const project = await postponing();
    const { id, freeAt } = await oneThatWaits(project);
    assert.deepEqual(await mailOf(project, id), WAITS);
    const { deliveries } = await project.api.listCampaignDeliveries({ path: { id } });
    assert.deepEqual(
      deliveries.map(({ state }) => state),
      ["queued"],
    );
    assert.equal(
      (await project.api.getUsage()).projects.find((each) => each.id === project.projectId)?.frequencyCapped,
      0,
    );
    house.at(freeAt - 1);
    assert.deepEqual(await drained(project), []);
    house.at(freeAt);
    assert.deepEqual(await drained(project), ["ada"]);
    assert.deepEqual(await mailOf(project, id), CAME);
    house.advance(30 * HOUR_MS);
    assert.deepEqual(await drained(project), []);
    const { campaign } = await project.api.getCampaign({ path: { id } });
    assert.deepEqual([campaign.stats.sent, campaign.stats.frequencyCapped], [1, 0]);
  });

  it("is explained as it happens: before it is planned, while it waits, and where the campaign is over before", async () => {
    const project = await postponing();
    const { id, freeAt } = await oneThatWaits(project);
    const had = `ada@${domainOf(project)} has had 1 mail within 10 hours, and may have 1.`;
    const waits = await explain(project, id, "ada");
    assert.equal(shortly(waits), "delivered by cap");
    const { note, overCap, postponedUntil } = gateOf(waits, "cap");
    assert.deepEqual([overCap, postponedUntil], ["postpone", freeAt]);
    assert.equal(
      note,
      `${had} This mail was postponed, and waits until ${instantIn(freeAt)}, or longer where other mail waits for the address, then leaves if the campaign still runs.`,
    );
    const { id: next } = await launchEmail(project, { name: "Third", launch: false });
    const { id: brief } = await launchEmail(project, { name: "Brief", deliverUntil: freeAt });
    const draft = gateOf(await explain(project, next, "ada"), "cap");
    assert.deepEqual([draft.passes, draft.postponedUntil], [false, freeAt]);
    const over = await explain(project, brief, "ada");
    assert.equal(shortly(over), "blocked by cap");
    assert.equal(
      gateOf(over, "cap").note,
      `${had} A mail that is due waits until ${instantIn(freeAt)}, and the campaign is over by then: it does not leave.`,
    );
    await house.drain();
    assert.deepEqual(await mailOf(project, brief), { ...WAITS, postponed: 0 });
    house.advance(MINUTE_MS);
    const { id: third } = await launchEmail(project, { name: "Third" });
    assert.equal(shortly(await explain(project, third, "ada")), "postponed by cap");
    const census = await project.api.takeCampaignCensus({ path: { id: third } });
    assert.deepEqual([census.capped, census.willReceive, census.overCap], [1, 0, "postpone"]);
    house.at(freeAt);
    assert.deepEqual(await drained(project), ["ada"]);
    assert.deepEqual([(await mailOf(project, id)).accepted, (await mailOf(project, brief)).accepted], [1, 0]);
  });

  it("of three campaigns and two processes comes one by one to each address", async () => {
    const project = await postponing();
    await people(project, ["ada", "ben"], domainOf(project));
    const second = await house.second();
    const both = async (): Promise<void> => void (await Promise.all([house.drain(), second.drain()]));
    const ids: string[] = [];
    for (const name of ["One", "Two", "Three"]) {
      ids.push((await launchEmail(project, { name })).id);
      house.advance(MINUTE_MS);
      await both();
    }
    const accepted = () => Promise.all(ids.map(async (id) => (await mailOf(project, id)).accepted));
    assert.deepEqual(await accepted(), [2, 0, 0]);
    const times: number[][] = [];
    for (let looks = 0; looks < 8; looks++) {
      house.advance(4 * HOUR_MS);
      await both();
      // While the mail to an address is in flight another one waits for its outcome.
      house.advance(10 * SECOND_MS);
      await both();
      times.push(await accepted());
    }
    const steps = times.filter((now, i) => i === 0 || String(now) !== String(times[i - 1]));
    const sums = steps.map((counts) => counts.reduce((sum, count) => sum + count));
    assert.deepEqual(
      [sums, steps.at(-1)],
      [
        [2, 4, 6],
        [2, 2, 2],
      ],
    );
    assert.deepEqual(await house.differences(), {});
  });

  it("never comes more often than the cap allows, and all of it comes: any caps, launches and looks", async () => {
    const caps = fc.record({ max: fc.integer({ min: 1, max: 3 }), hours: fc.integer({ min: 1, max: 3 }) });
    const gaps = fc.array(fc.integer({ min: 0, max: 4 * HOUR_MS }), { minLength: 2, maxLength: 4 });
    const rule = fc.asyncProperty(caps, gaps, async ({ max, hours }, launches) => {
      const project = await postponing({ "email.capMax": `${max}`, "email.capHours": `${hours}` });
      // Two users share an address, and its cap.
      for (const userId of ["ada", "bea"])
        await project.sdk.identify({
          body: { userId, traits: { email: `shared@${domainOf(project)}` } },
        });
      const cameAt: number[] = [];
      const look = async (): Promise<void> => {
        for (const _ of await drained(project)) cameAt.push(house.now());
      };
      for (const gap of launches) {
        await launchEmail(project);
        await look();
        house.advance(gap);
        await look();
      }
      const wanted = launches.length * 2;
      for (let looks = 0; cameAt.length < wanted && looks < 50; looks++) {
        house.advance(40 * MINUTE_MS);
        await look();
        house.advance(6 * SECOND_MS);
        await look();
      }
      assert.equal(cameAt.length, wanted);
      for (const at of cameAt) {
        const within = cameAt.filter((other) => other >= at && other < at + hours * HOUR_MS).length;
        assert.ok(within <= max, `${within} within ${hours} hours, and ${max} are allowed`);
      }
    });
    await fc.assert(rule, { numRuns: 5 });
  });
});

describe("a change of the cap, for mail that waits for it", () => {
  const cases: Readonly<Record<string, [Record<string, string>, Partial<typeof CAME>, string[]]>> = {
    "raised: it leaves": [{ "email.capMax": "2" }, CAME, ["ada"]],
    "taken away: it leaves": [{ "email.capMax": "0" }, CAME, ["ada"]],
    "counting fewer hours: it leaves": [{ "email.capHours": "1" }, CAME, ["ada"]],
    "counting more hours: it waits longer": [{ "email.capHours": "20" }, WAITS, []],
    "skipping: it is left out": [
      { "email.overCap": "skip" },
      { ...NOTHING, planned: 1, frequencyCapped: 1 } as typeof CAME,
      [],
    ],
    "back to the default, which skips": [{ "email.overCap": "" }, CAME, []],
  };
  for (const [name, [changes, came, taken]] of Object.entries(cases))
    it(`is taken at once: ${name}`, async () => {
      const project = await postponing();
      const { id, freeAt } = await oneThatWaits(project);
      // The default cap is three mails.
      const all = name.startsWith("back") ? { ...changes, "email.capMax": "" } : changes;
      await setSettings(house, project, all);
      assert.deepEqual(await drained(project), name.startsWith("back") ? ["ada"] : taken);
      assert.deepEqual(await mailOf(project, id), came);
      if (came !== WAITS) return;
      assert.equal(gateOf(await explain(project, id, "ada"), "cap").postponedUntil, freeAt + 10 * HOUR_MS);
    });

  it("reaches what is paused when it is resumed, and what waits is not counted as postponed by the former rule", async () => {
    const project = await postponing();
    const { id } = await oneThatWaits(project);
    await project.api.setCampaignStatus({ path: { id }, body: { action: "pause" } });
    assert.equal((await mailOf(project, id)).postponed, 1);
    await setSettings(house, project, { "email.overCap": "skip" });
    assert.deepEqual(await mailOf(project, id), { ...WAITS, postponed: 0 });
    await project.api.setCampaignStatus({ path: { id }, body: { action: "launch" } });
    await house.drain();
    assert.equal((await mailOf(project, id)).frequencyCapped, 1);
    assert.deepEqual(await house.differences(), {});
  });

  it("from skip to postpone changes nothing that was left out", async () => {
    const project = await postponing({ "email.overCap": "skip" });
    const { id } = await oneThatWaits(project);
    await setSettings(house, project, { "email.overCap": "postpone" });
    house.advance(30 * HOUR_MS);
    assert.deepEqual(await drained(project), []);
    assert.deepEqual(await mailOf(project, id), { ...NOTHING, planned: 1, frequencyCapped: 1 });
  });
});

describe("what happens while mail waits for the cap", () => {
  const act = async (project: TestProject, id: string, action: "pause" | "launch" | "end") =>
    project.api.setCampaignStatus({ path: { id }, body: { action } });

  it("holds: suppression, erasure, a new address, a pause, an end", async () => {
    const project = await postponing();
    const { id, freeAt } = await oneThatWaits(project, ["ada", "ben", "cleo", "dora"]);
    assert.deepEqual([(await mailOf(project, id)).postponed], [4]);
    const suppressed = addressRef(project.projectId, `ada@${domainOf(project)}`);
    const stop = { reason: "unsubscribed", at: house.now() } as const;
    await suppressAddress(house.database.kysely, project.projectId, suppressed, stop);
    await project.api.eraseUser({ path: { id: "ben" } });
    await project.api.identify({ body: { userId: "cleo", traits: { email: `new@${domainOf(project)}` } } });
    assert.equal((await mailOf(project, id)).postponed, 3, "an erased user waits for nothing");
    assert.deepEqual(await drained(project), []);
    assert.equal((await mailOf(project, id)).failed, 1);
    const { note } = gateOf(await explain(project, id, "cleo"), "cap");
    assert.match(note, /^new@\S+ has had 0 mails .* This mail was postponed, and waits until /);
    house.at(freeAt - 1);
    await act(project, id, "pause");
    house.advance(HOUR_MS);
    assert.deepEqual(await drained(project), []);
    assert.deepEqual([(await mailOf(project, id)).waiting, (await mailOf(project, id)).postponed], [3, 0]);
    await act(project, id, "launch");
    assert.deepEqual((await drained(project)).sort(), ["dora", "new"]);
    assert.deepEqual(await mailOf(project, id), {
      ...NOTHING,
      planned: 4,
      accepted: 2,
      failed: 1,
      suppressed: 1,
    });
    const { id: ended } = await launchEmail(project, { name: "Third" });
    await house.drain();
    assert.equal((await mailOf(project, ended)).postponed, 2);
    await act(project, ended, "end");
    assert.equal((await mailOf(project, ended)).postponed, 0);
    house.advance(30 * HOUR_MS);
    assert.deepEqual(await drained(project), []);
    assert.deepEqual(await house.differences(), {});
  });

  it("a mail that a person sends again waits for the cap as well, in which it counts itself", async () => {
    const project = await postponing();
    await people(project, ["ada"], domainOf(project));
    smtp.behave({ onMessage: () => "drop" });
    const { id } = await launchEmail(project);
    await house.drain();
    smtp.behave({});
    const unknownAt = house.now();
    house.advance(HOUR_MS);
    const { deliveries } = await project.api.listCampaignDeliveries({ path: { id } });
    const decide = { by: "Ada", at: house.now() };
    await house.database.kysely.transaction().execute((tx) =>
      resendThese(
        tx,
        project.projectId,
        deliveries.map((each) => each.id),
        decide,
      ),
    );
    assert.deepEqual(await drained(project), []);
    assert.deepEqual(
      [(await mailOf(project, id)).postponed, (await mailOf(project, id)).frequencyCapped],
      [1, 0],
    );
    house.at(unknownAt + 10 * HOUR_MS);
    assert.deepEqual(await drained(project), ["ada"]);
    assert.deepEqual(await house.differences(), {});
  });
});

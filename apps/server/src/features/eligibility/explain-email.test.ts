import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { expression, trait } from "../../../test/audience/trees.ts";
import { explain, gateOf, heldOutOf, shortly } from "../../../test/eligibility.ts";
import { launchEmail, people, progressOf, sendingProject, setSettings } from "../../../test/email.ts";
import { type TestProject, testHouse } from "../../../test/harness.ts";
import { type SmtpPeer, startSmtp } from "../../../test/peers/smtp.ts";
import { BELIEVED_MS } from "../../../test/perimeter.ts";
import { HOUR_MS, MINUTE_MS } from "../../platform/time/clock.ts";
import { instantIn } from "../deliveries/gates/words.pure.ts";
import { addressRef, decideSuppression, suppressAddress } from "../email/addresses/public.ts";

const house = testHouse();
let smtp: SmtpPeer;
before(async () => {
  smtp = await startSmtp();
});
after(() => smtp.close());

const ORDER = [
  "status",
  "window",
  "user",
  "visitors",
  "delivery",
  "withheld",
  "audience",
  "address",
  "variant",
  "suppression",
  "confirmation",
  "holdout",
  "serving",
  "channel",
  "quiet",
  "pressure",
  "cap",
];
const sending = (settings: Readonly<Record<string, string>> = {}) =>
  sendingProject(house, smtp.port, settings);

const suppress = ({ projectId }: TestProject, address: string) =>
  suppressAddress(house.database.kysely, projectId, addressRef(projectId, address), {
    reason: "complained",
    at: house.now(),
  });

/** Has everything that is due planned and sent. */
async function sweep(): Promise<void> {
  house.advance(MINUTE_MS);
  await house.drain();
}

describe("explainCampaign of an email campaign", () => {
  it("answers every gate in the order of planning and sending", async () => {
    const project = await sending();
    await people(project, ["ada"]);
    const { id } = await launchEmail(project);
    const found = await explain(project, id, "ada");
    assert.deepEqual(
      found.gates.map(({ gate, passes }) => [gate, passes]),
      ORDER.map((gate) => [gate, true]),
    );
    assert.equal(found.outcome, "would_receive");
  });

  it("agrees with the sweep about users with different facts, in a draft as well", async () => {
    const project = await sending({ "identity.newAddressesPerHour": "4" });
    const { goal } = await project.api.createGoal({ body: { name: "Sales", holdoutPercent: 50 } });
    const identify = (userId: string, traits: Record<string, unknown>) =>
      project.api.identify({ body: { userId, traits } });
    const onPro = (rest: Record<string, unknown>) => ({ plan: "pro", ...rest });
    const users = new Map<string, Record<string, unknown>>([
      ["free", { plan: "free", email: "free@example.com" }],
      ["no-address", onPro({})],
      ["number", onPro({ email: 5 })],
      ["no-at", onPro({ email: "nobody" })],
      ["spaces", onPro({ email: "  Spaces@EXAMPLE.com " })],
      ["idn", onPro({ email: "idn@bücher.example" })],
      ["complained", onPro({ email: "Complained@example.com" })],
      ...Array.from(
        { length: 12 },
        (_, n) => [`plain-${n}`, onPro({ email: `plain-${n}@example.com` })] as const,
      ),
    ]);
    for (const [userId, traits] of users) await identify(userId, traits);
    await suppress(project, "complained@example.com");
    // Addresses of pages, more than are confirmed within an hour.
    for (let n = 0; n < 9; n++) {
      users.set(`page-${n}`, {});
      await project.sdk.identify({
        body: { userId: `page-${n}`, traits: onPro({ email: `page-${n}@example.com` }) },
      });
    }
    const audience = { kind: "expression" as const, expression: expression(trait("plan", "eq", "pro")) };
    const { id } = await launchEmail(project, { goalId: goal.id, audience, launch: false });
    const outcomes = new Map<string, string>();
    for (const userId of [...users.keys(), "stranger"]) {
      const found = await explain(project, id, userId);
      assert.equal(found.blockedBy, "status");
      assert.equal(gateOf(found, "user").known, userId !== "stranger");
    }
    await project.api.setCampaignStatus({ path: { id }, body: { action: "launch" } });
    for (const userId of [...users.keys(), "stranger"])
      outcomes.set(userId, shortly(await explain(project, id, userId)));
    assert.deepEqual(
      ["free", "no-address", "number", "no-at", "complained", "stranger"].map((name) => outcomes.get(name)),
      [
        "blocked by audience",
        "blocked by address",
        "blocked by address",
        "blocked by address",
        "blocked by suppression",
        "unknown_user by user",
      ],
    );
    await sweep();
    const { deliveries } = await project.api.listCampaignDeliveries({
      path: { id },
      query: { perPage: 100 },
    });
    const got = new Set(deliveries.map(({ externalUserId }) => externalUserId));
    const promised = [...outcomes]
      .filter(([, outcome]) => outcome === "would_receive")
      .map(([userId]) => userId);
    assert.deepEqual(got, new Set(promised));
    assert.equal((await progressOf(project, id)).accepted, promised.length);
    const count = (outcome: string) => [...outcomes.values()].filter((each) => each === outcome).length;
    assert.equal(count("blocked by confirmation"), 5);
    const out = [...outcomes]
      .filter(([, outcome]) => outcome === "held_out by holdout")
      .map(([userId]) => userId);
    assert.ok(out.length > 0);
    for (const userId of out) assert.ok(heldOutOf(project, goal.id, 50, userId), userId);
    for (const [userId, outcome] of outcomes) {
      const later = await explain(project, id, userId);
      if (outcome === "would_receive") assert.equal(shortly(later), "delivered by delivery", userId);
      else if (outcome === "held_out by holdout")
        assert.equal(shortly(later), "held_out by withheld", userId);
      else assert.equal(shortly(later), outcome, userId);
    }
  });

  it("says what the cap counts, and when the address is free again", async () => {
    const project = await sending({ "email.capMax": "2", "email.capHours": "10" });
    await people(project, ["ada"]);
    const acceptedAt: number[] = [];
    for (let n = 0; n < 2; n++) {
      await launchEmail(project, { name: `Mail ${n}` });
      await sweep();
      acceptedAt.push(house.now());
      house.advance(HOUR_MS);
    }
    const { id } = await launchEmail(project, { name: "One too many" });
    const found = await explain(project, id, "ada");
    assert.equal(shortly(found), "blocked by cap");
    const { capMax, capHours, accepted, inFlight, freeAt, note } = gateOf(found, "cap");
    assert.equal(
      note,
      `ada@example.com has had 2 mails within 10 hours, and may have 2: a mail that is due before ${instantIn(freeAt ?? 0)} is left out for good.`,
    );
    assert.deepEqual([capMax, capHours, accepted, inFlight], [2, 10, 2, 0]);
    assert.equal(freeAt, (acceptedAt[0] ?? 0) + 10 * HOUR_MS);
    await sweep();
    assert.equal((await progressOf(project, id)).frequencyCapped, 1);
    const capped = await explain(project, id, "ada");
    assert.equal(shortly(capped), "delivered by delivery");
    assert.equal(gateOf(capped, "delivery").delivery?.state, "frequency_capped");
    const next = await launchEmail(project, { name: "Later", launch: false });
    house.at((freeAt ?? 0) - 1);
    assert.equal(gateOf(await explain(project, next.id, "ada"), "cap").passes, false);
    house.at(freeAt ?? 0);
    assert.equal(gateOf(await explain(project, next.id, "ada"), "cap").passes, true);
    await project.api.setCampaignStatus({ path: { id: next.id }, body: { action: "launch" } });
    await sweep();
    assert.equal((await progressOf(project, next.id)).accepted, 1);
  });

  it("says to which address, who stopped it and when, and how an address is confirmed", async () => {
    const project = await sending({ "identity.newAddressesPerHour": "1" });
    house.at(Date.UTC(2026, 0, 15, 9, 5));
    const { id } = await launchEmail(project, { launch: false });
    const sentenceOf = async (userId: string, gate: "address" | "suppression" | "confirmation") =>
      gateOf(await explain(project, id, userId), gate).note;
    for (const userId of ["ada", "bo", "cy"])
      await project.api.identify({ body: { userId, traits: { email: `${userId}@example.com` } } });
    await project.api.identify({ body: { userId: "dee", traits: { email: "nobody" } } });
    await suppress(project, "ada@example.com");
    await decideSuppression(house.database.kysely, project.projectId, "bo@example.com", "suppress", {
      by: "Mara Köhler",
      at: house.now(),
    });
    assert.deepEqual(
      [
        await sentenceOf("ada", "suppression"),
        await sentenceOf("bo", "suppression"),
        await sentenceOf("cy", "suppression"),
        await sentenceOf("cy", "address"),
        await sentenceOf("dee", "address"),
      ],
      [
        "ada@example.com has had no mail since Jan 15, 2026, 09:05 UTC: its owner reported mail as spam.",
        "bo@example.com has had no mail since Jan 15, 2026, 09:05 UTC: it was stopped by hand, by Mara Köhler.",
        "cy@example.com takes mail of the project.",
        "Mail to the user goes to cy@example.com.",
        "The trait email is “nobody”, which is no address.",
      ],
    );
    await project.sdk.identify({ body: { userId: "eve", traits: { email: "eve@example.com" } } });
    assert.equal(
      await sentenceOf("eve", "confirmation"),
      "A page gave the address on Jan 15, 2026, 09:05 UTC, and the next send confirms it.",
    );
    for (const userId of ["fay", "gus"])
      await project.sdk.identify({ body: { userId, traits: { email: `${userId}@example.com` } } });
    const sentences = await Promise.all(
      ["eve", "fay", "gus"].map((userId) => sentenceOf(userId, "confirmation")),
    );
    const tooMany =
      "A page gave the address on Jan 15, 2026, 09:05 UTC. It is one of too many of that hour: sending confirms 1, and your server any.";
    assert.equal(sentences.filter((note) => note === tooMany).length, 2);
  });

  it("says where the project cannot send, and where nothing may leave", async () => {
    const project = await sending();
    await people(project, ["ada"]);
    const { id } = await launchEmail(project);
    await setSettings(house, project, { "email.from": "" });
    house.advance(BELIEVED_MS);
    const found = await explain(project, id, "ada");
    assert.equal(shortly(found), "blocked by channel");
    assert.match(gateOf(found, "channel").note, /email\.from/);
    await house.drain();
    const waiting = await explain(project, id, "ada");
    assert.equal(shortly(waiting), "delivered by channel", "a delivery that waits");
    assert.equal(gateOf(waiting, "delivery").delivery?.isOpen, true);
  });

  it("leaves no differences behind", async () => {
    assert.deepEqual(await house.differences(), {});
  });
});

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Answer } from "@tidings/client";
import { event, expression, trait } from "../../../test/audience/trees.ts";
import { contentsOf } from "../../../test/contents.ts";
import { explain } from "../../../test/eligibility.ts";
import { launchEmail, people, progressOf, sendingProject, setSettings } from "../../../test/email.ts";
import { launchCampaign, messagesOf, toast } from "../../../test/factories.ts";
import { refusal, type TestProject, testHouse } from "../../../test/harness.ts";
import { type SmtpPeer, startSmtp } from "../../../test/peers/smtp.ts";
import { MINUTE_MS } from "../../platform/time/clock.ts";
import { addressRef, suppressAddress } from "../email/addresses/public.ts";
import { parseAddress } from "../email/addresses/rules.ts";

const house = testHouse();
let smtp: SmtpPeer;
before(async () => {
  smtp = await startSmtp();
});
after(() => smtp.close());

type Census = Answer<"takeCampaignCensus">;

/** The census of a campaign, whose buckets add up. */
async function census({ api }: TestProject, id: string): Promise<Census> {
  const found = await api.takeCampaignCensus({ path: { id } });
  const unreachable = found.unreachable.reduce((sum, { users }) => sum + users, 0);
  assert.equal(
    found.matched,
    found.heldOut + found.alreadyDelivered + unreachable + found.capped + found.willReceive,
  );
  assert.equal(found.reachable, found.capped + found.willReceive);
  assert.equal(found.at, house.now());
  return found;
}

/** Reasons that some user has. */
const reasonsOf = ({ unreachable }: Census): Record<string, number> =>
  Object.fromEntries(unreachable.flatMap(({ reason, users }) => (users > 0 ? [[reason, users]] : [])));

const named = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, n) => `${prefix}-${n}`);

/** How often explanations of these users come to each outcome. */
async function outcomesOf(project: TestProject, id: string, users: readonly string[]) {
  const counts: Record<string, number> = {};
  for (const user of users) {
    const { outcome } = await explain(project, id, user);
    counts[outcome] = (counts[outcome] ?? 0) + 1;
  }
  return counts;
}

const identify = ({ api }: TestProject, userId: string, traits: Record<string, unknown>) =>
  api.identify({ body: { userId, traits } });

async function sweep(): Promise<void> {
  house.advance(MINUTE_MS);
  await house.drain();
}

describe("takeCampaignCensus of a web campaign", () => {
  const onPro = { kind: "expression" as const, expression: expression(trait("plan", "eq", "pro")) };

  it("counts users as explanations do, and as the feed then serves them", async () => {
    const project = await house.project();
    const { goal } = await project.api.createGoal({ body: { name: "Sales", holdoutPercent: 30 } });
    const users = named("user", 48);
    for (const [n, user] of users.entries())
      await identify(project, user, { plan: n % 4 === 0 ? "free" : "pro" });
    const draft = await launchCampaign(project, { goalId: goal.id, audience: onPro, launch: false });
    const { id } = await launchCampaign(project, { goalId: goal.id, audience: onPro });
    const before = await census(project, id);
    assert.deepEqual({ ...before, campaignId: "" }, { ...(await census(project, draft.id)), campaignId: "" });
    assert.equal(before.matched, 36);
    assert.ok(before.heldOut > 0 && before.willReceive > 0);
    const outcomes = await outcomesOf(project, id, users);
    assert.deepEqual(outcomes, { blocked: 12, held_out: before.heldOut, would_receive: before.willReceive });
    let served = 0;
    for (const user of users.slice(0, 24)) served += Math.min((await messagesOf(project, user)).length, 1);
    const half = await census(project, id);
    assert.deepEqual(
      [half.matched, half.heldOut, half.alreadyDelivered, half.willReceive],
      [36, before.heldOut, served, before.willReceive - served],
    );
    for (const user of users.slice(24)) served += Math.min((await messagesOf(project, user)).length, 1);
    assert.equal(served, before.willReceive);
    assert.equal((await census(project, id)).willReceive, 0);
    // Users who have left the audience are not counted, whatever they got.
    for (const user of users) await identify(project, user, { plan: "free" });
    assert.equal((await census(project, id)).matched, 0);
  });

  it("counts users of whose message no text is left, and judges personal messages one by one", async () => {
    const project = await house.project();
    const { goal } = await project.api.createGoal({ body: { name: "Sales", holdoutPercent: 30 } });
    const users = named("user", 20);
    for (const [n, user] of users.entries())
      await identify(project, user, n % 3 === 0 ? { plan: "pro" } : { plan: "pro", name: user });
    const variants = [
      { name: "A", message: toast("{{ user.name }}") },
      { name: "B", message: toast("{{ user.nickname }}") },
    ];
    const { id } = await launchCampaign(project, { goalId: goal.id, variants });
    const found = await census(project, id);
    const outcomes = await outcomesOf(project, id, users);
    const { no_text = 0 } = reasonsOf(found);
    assert.ok(no_text > 7 && found.willReceive > 0);
    assert.deepEqual(outcomes, {
      blocked: no_text,
      would_receive: found.willReceive,
      ...(found.heldOut === 0 ? {} : { held_out: found.heldOut }),
    });
    let served = 0;
    for (const user of users) served += (await messagesOf(project, user)).length;
    assert.equal(served, found.willReceive);
    const after = await census(project, id);
    assert.deepEqual([after.alreadyDelivered, after.willReceive], [served, 0]);
    assert.deepEqual([after.heldOut, reasonsOf(after)], [found.heldOut, { no_text }]);
  });

  it("evaluates events with windows at its instant, and counts nobody for an audience that cannot be read", async () => {
    const project = await house.project();
    await project.sdk.track({ body: { userId: "ada", event: "paid" } });
    await identify(project, "bo", {});
    const root = event("paid", { window: { amount: 1, unit: "days" } });
    const audience = { kind: "expression" as const, expression: expression(root) };
    const { id } = await launchCampaign(project, { audience });
    assert.equal((await census(project, id)).willReceive, 1);
    house.advance(2 * 86_400_000);
    assert.equal((await census(project, id)).matched, 0);
    const { pool } = house.database;
    await pool.query("update campaigns set audience = '{}' where project_id = $1", [project.projectId]);
    const { matched, warnings } = await census(project, id);
    assert.deepEqual([matched, warnings.map(({ code }) => code)], [0, ["unreadable_audience"]]);
    await pool.query(`update campaigns set audience = '{"kind": "all"}' where project_id = $1`, [
      project.projectId,
    ]);
  });
});

describe("takeCampaignCensus of an email campaign", () => {
  const suppress = ({ projectId }: TestProject, address: string) =>
    suppressAddress(house.database.kysely, projectId, addressRef(projectId, address), {
      reason: "bounced",
      at: house.now(),
    });

  it("puts each user into one bucket, and the sweep then does what it says", async () => {
    const project = await sendingProject(house, smtp.port, { "identity.newAddressesPerHour": "5" });
    const { goal } = await project.api.createGoal({ body: { name: "Sales", holdoutPercent: 30 } });
    const odd = {
      "without-any": {},
      number: { email: 5 },
      "no-at": { email: "nobody" },
      broken: { email: "a@b" },
      dots: { email: "a..b@example.com" },
      spaces: { email: "  Spaces@EXAMPLE.com " },
      idn: { email: "idn@bücher.example" },
      long: { email: `${"l".repeat(64)}@example.com` },
      "too-long": { email: `${"l".repeat(65)}@example.com` },
      "hex-domain": { email: "a@example.0x10" },
      "double-hyphen": { email: "a@ex--ample.example" },
      "one-letter": { email: "a@example.x" },
      suppressed: { email: "Suppressed@Example.com" },
      "suppressed-idn": { email: "Süppressed@example.com" },
      "idn-suppressed": { email: "gone@bücher.example" },
    };
    for (const [userId, traits] of Object.entries(odd)) await identify(project, userId, traits);
    for (const user of named("plain", 15)) await identify(project, user, { email: `${user}@example.com` });
    await people(project, named("page", 9));
    await suppress(project, "suppressed@example.com");
    await suppress(project, "gone@xn--bcher-kva.example");
    const users = [...Object.keys(odd), ...named("plain", 15), ...named("page", 9)];
    const { id } = await launchEmail(project, { goalId: goal.id, launch: false });
    const found = await census(project, id);
    assert.equal(found.matched, users.length);
    const reasons = reasonsOf(found);
    assert.deepEqual(reasons, { no_address: 2, invalid_address: 6, suppressed: 2, unconfirmed: 4 });
    await project.api.setCampaignStatus({ path: { id }, body: { action: "launch" } });
    assert.deepEqual(await census(project, id), found);
    assert.deepEqual(await outcomesOf(project, id, users), {
      blocked: 14,
      held_out: found.heldOut,
      would_receive: found.willReceive,
    });
    await sweep();
    assert.equal((await progressOf(project, id)).accepted, found.willReceive);
    const later = await census(project, id);
    assert.deepEqual(
      [later.alreadyDelivered, later.heldOut, later.willReceive],
      [found.willReceive, found.heldOut, 0],
    );
    assert.deepEqual(reasonsOf(later), reasons);
    // The next sweep may confirm more: the setting is higher.
    await setSettings(house, project, { "identity.newAddressesPerHour": "7" });
    const higher = await census(project, id);
    assert.equal(reasonsOf(higher).unconfirmed, 2);
    await sweep();
    assert.equal((await progressOf(project, id)).accepted, found.willReceive + higher.willReceive);
  });

  it("reads addresses as delivery does, whatever they look like", async () => {
    const project = await sendingProject(house, smtp.port);
    const parts = [
      "a",
      "B7",
      "x.y",
      "o'neil+tag",
      "-",
      "_",
      ".",
      "a..b",
      " ",
      "é",
      "",
      "l".repeat(70),
      "\n",
      "a@b",
      "%s",
    ];
    const ends = [
      "example.com",
      "EX-ample.Com",
      "ex--a.com",
      "-a.com",
      "a-.com",
      "a.c",
      "a",
      "1.2",
      "bücher.example",
    ];
    const more = [
      "a.0x1",
      "xn--bcher-kva.example",
      "xn--a.com",
      "a.com.",
      "a_b.com",
      "a..com",
      "",
      "[1.2.3.4]",
      "d.".repeat(40),
    ];
    const emails = parts.flatMap((part) => [...ends, ...more].map((end) => `${part}@${end}`));
    const users = emails.map((email, n) => ({ userId: `user-${n}`, traits: { email } }));
    await project.api.identifyBatch({ body: { users } });
    const { id } = await launchEmail(project, { launch: false });
    const addresses = new Map(
      emails.flatMap((email) => {
        const to = parseAddress(email);
        return to === null ? [] : [[email, to.address] as const];
      }),
    );
    const valid = addresses.size;
    assert.ok(valid > 30 && valid < emails.length - 100);
    const before = await census(project, id);
    assert.deepEqual(reasonsOf(before), { invalid_address: emails.length - valid });
    // Their keys are those of delivery too: each one that is suppressed is found.
    for (const address of addresses.values()) await suppress(project, address);
    const after = await census(project, id);
    assert.deepEqual(reasonsOf(after), { invalid_address: emails.length - valid, suppressed: valid });
  });

  it("says who is over the cap, also where users share an address", async () => {
    const project = await sendingProject(house, smtp.port, { "email.capMax": "2" });
    await people(project, ["ada", "bo", "cyd"]);
    const toAda = { kind: "expression" as const, expression: expression(trait("name", "in", ["ada", "bo"])) };
    for (const name of ["First", "Second"]) {
      await launchEmail(project, { name, audience: toAda });
      await sweep();
    }
    for (const user of named("shared", 5)) await identify(project, user, { email: "Team@example.com" });
    const { id } = await launchEmail(project);
    const found = await census(project, id);
    assert.deepEqual(
      [found.matched, found.capped, found.willReceive, found.reachable],
      [8, 5, 3, 8],
      "ada and bo have had two, and three of five may not write to the team",
    );
    for (let n = 0; n < 5; n++) await sweep();
    const { accepted, frequencyCapped } = await progressOf(project, id);
    assert.deepEqual([accepted, frequencyCapped], [found.willReceive, found.capped]);
    await setSettings(house, project, { "email.capMax": "0" });
    const uncapped = await launchEmail(project, { name: "Uncapped", launch: false });
    assert.equal((await census(project, uncapped.id)).willReceive, 8);
  });

  it("leaves no differences behind", async () => {
    assert.deepEqual(await house.differences(), {});
  });
});

describe("takeCampaignCensus", () => {
  it("takes no body, or an empty one, and is for the secret key and the agent's", async () => {
    const project = await house.project();
    const { id } = await launchCampaign(project);
    await identify(project, "ada", {});
    const ask = async (body: string | null, key = project.secretKey) => {
      const response = await fetch(`${house.url}/api/v1/campaigns/${id}/census`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${key}`,
          ...(body === null ? {} : { "content-type": "application/json" }),
        },
        body,
      });
      return {
        status: response.status,
        body: (await response.json()) as Partial<Census> & { error?: string },
      };
    };
    for (const body of [null, "{}"])
      assert.deepEqual([(await ask(body)).status, (await ask(body)).body.matched], [200, 1]);
    const refused = await ask('{"userId":"ada"}');
    assert.equal(refused.status, 400);
    assert.match(refused.body.error ?? "", /^body must be left out/);
    assert.equal((await ask("[")).status, 400);
    assert.equal((await project.agent.takeCampaignCensus({ path: { id } })).matched, 1);
    assert.equal((await refusal(project.sdk.takeCampaignCensus({ path: { id } }))).status, 403);
  });

  it("knows no campaign of another project, counts none of its users, and writes nothing", async () => {
    const [project, other] = [await house.project(), await house.project()];
    const { id } = await launchCampaign(project);
    await identify(other, "stranger", {});
    assert.equal((await refusal(other.api.takeCampaignCensus({ path: { id } }))).status, 404);
    const before = await contentsOf(house);
    assert.equal((await census(project, id)).matched, 0);
    assert.deepEqual(await contentsOf(house), before);
  });
});

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { launchEmail, people, progressOf, sendingProject, setSettings } from "../../../../test/email.ts";
import { feedback, launchCampaign, messagesOf, recorded } from "../../../../test/factories.ts";
import { refusal, type TestProject, testHouse } from "../../../../test/harness.ts";
import { type SmtpPeer, startSmtp } from "../../../../test/peers/smtp.ts";
import { active, BELIEVED_MS, loneProject, organization, usageOf } from "../../../../test/usage.ts";
import { servingOf } from "./public.ts";

// Projects of this house share one organization, except those that are made with one of their own.
const house = testHouse();
let smtp: SmtpPeer;
before(async () => {
  smtp = await startSmtp();
});
after(() => smtp.close());

const set = (project: TestProject, changes: Record<string, string>): Promise<void> =>
  setSettings(house, project, changes);

const servingNow = async (project: TestProject): Promise<[string, string]> => {
  const { serving, emailServing } = await usageOf(project);
  return [serving, emailServing];
};

const deliveriesOf = async ({ projectId }: TestProject): Promise<number> => {
  const rows = await house.database.kysely
    .selectFrom("deliveries")
    .select("userKey")
    .where("projectId", "=", projectId)
    .execute();
  return rows.length;
};

describe("the feed", () => {
  it("is empty beyond the cap, makes no delivery, and comes back when the cap is raised", async () => {
    const project = await loneProject(house);
    await launchCampaign(project);
    await set(project, { "org.priceTiers": "1", "org.spendCapUsd": "3" });
    await active(project, ["ada", "ben"]);
    assert.equal((await messagesOf(project, "ada")).length, 1);
    await active(project, ["cleo"]);
    assert.deepEqual(await servingNow(project), ["cap_reached", "paused"]);
    house.advance(BELIEVED_MS);
    const before = await deliveriesOf(project);
    const answer = await project.sdk.getMessages({
      query: { userId: "ada", entryId: "e", requestId: "r", path: "/" },
    });
    assert.deepEqual(answer, {
      messages: [],
      userId: "ada",
      entryId: "e",
      requestId: "r",
      evaluatedAt: house.now(),
    });
    assert.deepEqual(await messagesOf(project, "new"), []);
    assert.equal(await deliveriesOf(project), before);
    await set(project, { "org.spendCapUsd": "3.01" });
    assert.deepEqual(await servingNow(project), ["ok", "ok"]);
    house.advance(BELIEVED_MS);
    assert.equal((await messagesOf(project, "ada")).length, 1);
    assert.equal((await messagesOf(project, "new")).length, 1);
  });

  it("comes back with the first instant of the next period", async () => {
    house.at(Date.UTC(2026, 4, 1) - 1);
    const project = await loneProject(house);
    await launchCampaign(project);
    await set(project, { "org.priceTiers": "1", "org.spendCapUsd": "1" });
    await active(project, ["ada"]);
    assert.equal((await servingNow(project))[0], "cap_reached");
    house.advance(-BELIEVED_MS);
    assert.deepEqual(await messagesOf(project, "ada"), []);
    house.at(Date.UTC(2026, 4, 1) - 1);
    assert.deepEqual(await messagesOf(project, "ada"), []);
    house.advance(1);
    assert.equal((await messagesOf(project, "ada")).length, 1);
    assert.deepEqual(await servingNow(project), ["ok", "ok"]);
  });

  it("closes while billing has to be restored, and not while it is past due", async () => {
    const project = await loneProject(house);
    await launchCampaign(project);
    for (const [status, serving, emailServing, messages] of [
      ["past_due", "ok", "paused", 1],
      ["restore_needed", "payment_required", "paused", 0],
      ["ok", "ok", "ok", 1],
      ["restore_needed", "payment_required", "paused", 0],
      ["none", "ok", "ok", 1],
    ] as const) {
      await set(project, { "org.billingStatus": status });
      house.advance(BELIEVED_MS);
      assert.deepEqual(await servingNow(project), [serving, emailServing], status);
      assert.equal((await usageOf(project)).billable, status !== "none");
      assert.equal((await messagesOf(project, "ada")).length, messages, status);
    }
  });

  it("closes for every project of the organization, in every process, and for no other", async () => {
    const [shop, blog] = await organization(house, 2);
    assert.ok(shop && blog);
    const stranger = await loneProject(house);
    const projects = [shop, blog, await house.elsewhere(shop), await house.elsewhere(blog)];
    for (const project of [shop, blog, stranger]) await launchCampaign(project);
    const seen = async (): Promise<number[]> =>
      Promise.all([...projects, stranger].map(async (project) => (await messagesOf(project, "ada")).length));
    assert.deepEqual(await seen(), [1, 1, 1, 1, 1]);
    await set(shop, { "org.billingStatus": "restore_needed" });
    house.advance(BELIEVED_MS - 1);
    await seen();
    house.advance(BELIEVED_MS);
    assert.deepEqual(await seen(), [0, 0, 0, 0, 1]);
    await set(blog, { "org.billingStatus": "ok" });
    house.advance(BELIEVED_MS);
    assert.deepEqual(await seen(), [1, 1, 1, 1, 1]);
  });

  it("asks the database about an organization once in a while, not per request", async () => {
    const project = await loneProject(house);
    await launchCampaign(project);
    await messagesOf(project, "ada");
    let statements = 0;
    const executor = house.database.lookups.kysely.getExecutor();
    const execute = executor.executeQuery.bind(executor);
    Object.assign(executor, {
      executeQuery: (...args: Parameters<typeof execute>) => {
        if (/organization_settings|active_user_counts/.test(args[0].sql)) statements++;
        return execute(...args);
      },
    });
    const first = servingOf(house.tidings.app, project.projectId);
    assert.ok(!(first instanceof Promise), "what is known is told at once");
    for (let i = 0; i < 20; i++) await messagesOf(project, `user ${i}`);
    assert.equal(statements, 0);
    house.advance(BELIEVED_MS);
    await Promise.all(Array.from({ length: 20 }, (_, i) => messagesOf(project, `user ${i}`)));
    assert.equal(statements, 2);
    Object.assign(executor, { executeQuery: execute });
  });
});

describe("recording", () => {
  it("goes on whatever the state", async () => {
    const project = await loneProject(house);
    await launchCampaign(project);
    const [message] = await messagesOf(project, "ada");
    await set(project, { "org.spendCapUsd": "0", "org.billingStatus": "restore_needed" });
    house.advance(BELIEVED_MS);
    assert.deepEqual(await messagesOf(project, "ada"), []);
    await project.sdk.identify({ body: { userId: "ada", traits: { plan: "pro" } } });
    await project.sdk.track({ body: { userId: "ada", event: "upgraded" } });
    await project.sdk.trackBatch({ body: { events: [{ userId: "ben", event: "upgraded" }] } });
    await feedback(project, message?.deliveryId ?? "", "ada", "shown");
    await feedback(project, message?.deliveryId ?? "", "ada", "clicked");
    assert.equal((await recorded(house, project, "ada", "upgraded")).length, 1);
    assert.equal((await recorded(house, project, "ben", "upgraded")).length, 1);
    assert.equal((await usageOf(project)).activeUsers, 2);
  });

  it("does not hang on a value that cannot be read", async () => {
    const project = await loneProject(house);
    await launchCampaign(project);
    const keys = ["org.spendCapUsd", "org.priceTiers", "org.billingStatus", "org.periodStart"];
    for (const value of ['"much"', "{}", "[0]", "-1", "null"]) {
      for (const key of keys)
        await house.database.pool.query(
          `insert into organization_settings select organization_id, $2, $3, 1 from projects where id = $1
           on conflict (organization_id, key) do update set value = excluded.value`,
          [project.projectId, key, value],
        );
      house.advance(BELIEVED_MS);
      await active(project, ["ada"]);
      assert.equal((await messagesOf(project, "ada")).length, 1, value);
      assert.deepEqual(await servingNow(project), ["ok", "ok"]);
    }
    assert.equal((await house.differences())["settings: each is what its last change left"], keys.length);
    await house.database.pool.query(
      "delete from organization_settings o using projects p where p.organization_id = o.organization_id and p.id = $1",
      [project.projectId],
    );
  });
});

describe("campaign email", () => {
  const taken = async (act: () => Promise<unknown>): Promise<string[]> => {
    const first = smtp.taken.length;
    await act();
    return smtp.taken
      .slice(first)
      .map(({ to }) => to)
      .sort();
  };
  const faultOf = async ({ api }: TestProject, id: string): Promise<string | null> =>
    (await api.getCampaignEmail({ path: { id } })).fault?.message ?? null;

  for (const [name, close, open, why] of [
    ["past due", { "org.billingStatus": "past_due" }, { "org.billingStatus": "ok" }, /^Billing is past due/],
    [
      "billing that has to be restored",
      { "org.billingStatus": "restore_needed" },
      { "org.billingStatus": "ok" },
      /^Nothing is served before billing is restored/,
    ],
    ["a cap", { "org.spendCapUsd": "0" }, { "org.spendCapUsd": "" }, /^The spend cap is reached/],
  ] as const) {
    it(`waits for ${name}, says why, and leaves when that is over`, async () => {
      const project = await sendingProject(house, smtp.port);
      await people(project, ["ada", "ben"]);
      await set(project, close);
      house.advance(BELIEVED_MS);
      const { id } = await launchEmail(project);
      assert.deepEqual(await taken(() => house.drain()), []);
      assert.deepEqual(await progressOf(project, id), {
        planned: 2,
        waiting: 2,
        sending: 0,
        accepted: 0,
        unknown: 0,
        failed: 0,
        frequencyCapped: 0,
        suppressed: 0,
      });
      assert.match((await faultOf(project, id)) ?? "", why);
      // A long pause must not make the recipients wait longer once it is over.
      for (let i = 0; i < 10; i++) {
        house.advance(60_000);
        assert.deepEqual(await taken(() => house.drain()), []);
      }
      await set(project, open);
      house.advance(BELIEVED_MS);
      assert.deepEqual(await taken(() => house.drain()), ["ada@example.com", "ben@example.com"]);
      assert.equal((await progressOf(project, id)).accepted, 2);
      assert.equal(await faultOf(project, id), null);
      assert.deepEqual(await house.differences(), {});
    });
  }

  it("stops in the middle of a campaign, and goes on where it stopped", async () => {
    const project = await sendingProject(house, smtp.port);
    const ids = Array.from({ length: 300 }, (_, i) => `user${i}`);
    await people(project, ids);
    const peer = await startSmtp({
      onRecipient: () => {
        if (peer.taken.length === 20 && closing === null)
          closing = set(project, { "org.billingStatus": "past_due" }).then(() => house.advance(BELIEVED_MS));
        return null;
      },
    });
    let closing: Promise<void> | null = null;
    await set(project, { "email.smtpUrl": `smtp://127.0.0.1:${peer.port}?connections=1` });
    const { id } = await launchEmail(project);
    await house.drain();
    await (closing ?? assert.fail("it was never closed"));
    const then = await progressOf(project, id);
    assert.ok(then.accepted >= 20 && then.accepted < 300 && then.waiting === 300 - then.accepted);
    assert.match((await faultOf(project, id)) ?? "", /^Billing is past due/);
    await set(project, { "org.billingStatus": "ok" });
    house.advance(BELIEVED_MS);
    await house.drain();
    assert.equal((await progressOf(project, id)).accepted, 300);
    assert.equal(new Set(peer.taken.map(({ to }) => to)).size, 300);
    assert.equal(peer.taken.length, 300);
    await peer.close();
    assert.deepEqual(await house.differences(), {});
  });

  it("is not sent as a test either", async () => {
    const project = await sendingProject(house, smtp.port);
    const { id } = await launchEmail(project, { launch: false });
    const test = () => project.api.sendTestEmail({ path: { id }, body: { address: "me@acme.example" } });
    for (const changes of [{ "org.billingStatus": "past_due" }, { "org.spendCapUsd": "0" }]) {
      await set(project, changes);
      house.advance(BELIEVED_MS);
      const { status, body } = await refusal(test());
      assert.equal(status, 409);
      assert.equal((body as { reason?: unknown }).reason, "serving_closed");
    }
    assert.match((await refusal(test())).error, /^The spend cap is reached/);
    await set(project, { "org.billingStatus": "", "org.spendCapUsd": "" });
    house.advance(BELIEVED_MS);
    assert.deepEqual(await taken(test), ["me@acme.example"]);
  });
});

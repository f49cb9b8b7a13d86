import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { testHouse } from "../../../../test/harness.ts";
import {
  type Asking,
  ask,
  click,
  fateOf,
  hitsOf,
  honeypot,
  mailCampaign,
  open,
  PERSON,
  reportedBy,
  SHOP,
  sentMail,
  sentTenSecondsAgo,
  suppressionOf,
} from "../../../../test/mail.ts";
import { fakePostmark } from "../../../../test/provider-mail.ts";
import { postReport } from "../../../../test/reported-mail.ts";
import { apiId, deliveryRef } from "../../../domain/ids.ts";
import { recordDeliveryEvents } from "../../deliveries/public.ts";
import type { Hit } from "./rules.ts";

const house = testHouse();

const healthy = async (): Promise<void> => assert.deepEqual(await house.differences(), {});

const message = (options?: Parameters<typeof sentTenSecondsAgo>[1]) => sentTenSecondsAgo(house, options);

describe("what is no person", () => {
  const bots: readonly [string, Asking, string][] = [
    ["without a name", { agent: "" }, "no_agent"],
    ["a robot", { agent: "Mozilla/5.0 (compatible; Googlebot/2.1)" }, "robot"],
    ["a prefetch", { headers: { "sec-purpose": "prefetch;prerender" } }, "prefetch"],
    ["a prefetch of old", { headers: { purpose: "prefetch" } }, "prefetch"],
    ["Mail Privacy Protection", { agent: "Mozilla/5.0" }, "privacy_proxy"],
  ];
  for (const [name, asking, bot] of bots) {
    it(`opens and clicks nothing: ${name}`, async () => {
      const { mail, fate } = await message();
      const before = await fate();
      await open(mail, asking);
      assert.equal((await click(mail, SHOP, asking)).status, 302);
      assert.deepEqual(await fate(), before);
      assert.deepEqual(
        (await hitsOf(house, mail)).map((hit) => [hit.kind, hit.bot]),
        [
          ["open", bot],
          ["click", bot],
        ],
      );
      await healthy();
    });
  }

  it("changes nothing with HEAD", async () => {
    const { mail, fate } = await message();
    const before = await fate();
    const parts = ["open.gif", "trap", "unsubscribe"].map(mail.link);
    for (const url of [...parts, mail.click(SHOP)]) {
      const answer = await ask(url, { method: "HEAD" });
      assert.ok([200, 302].includes(answer.status), url);
      assert.equal(await answer.text(), "");
    }
    assert.deepEqual([await fate(), await hitsOf(house, mail)], [before, []]);
    assert.equal((await click(mail)).status, 302);
    assert.equal((await fate()).state, "clicked");
  });

  it("takes the proxies of people for people", async () => {
    for (const agent of [
      "Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)",
      "YahooMailProxy; https://help.yahoo.com/kb/yahoo-mail-proxy-SLN28749.html",
    ]) {
      const { mail, fate } = await message();
      await open(mail, { agent });
      assert.equal((await fate()).state, "opened", agent);
    }
  });

  it("takes a click sooner than three seconds after sending for a scanner's, and an open not", async () => {
    const { mail, sentAt, fate } = await message();
    house.at(sentAt + 2_999);
    await click(mail);
    assert.equal((await fate()).state, "sent");
    await open(mail);
    assert.equal((await fate()).state, "opened");
    house.at(sentAt + 3_000);
    await click(mail);
    assert.equal((await fate()).instants.clicked, sentAt + 3_000);
    assert.deepEqual(
      (await hitsOf(house, mail)).map(({ bot }) => bot),
      ["early", null, null],
    );
  });

  it("takes a click before the server is known to have taken the message for a scanner's", async () => {
    const { mail, fate } = await message({ status: "sending" });
    await click(mail);
    assert.deepEqual((await fate()).instants, {});
    await healthy();
  });

  it("takes back what came within a minute before a visit to the trap", async () => {
    const { mail, sentAt, fate } = await message();
    await open(mail);
    house.advance(100);
    await click(mail);
    assert.deepEqual((await fate()).counted, { sent: 1, delivered: 1, opened: 1, clicked: 1 });
    house.advance(59_900);
    const answer = await honeypot(mail);
    assert.deepEqual(
      [answer.status, await answer.text()],
      [200, '<!doctype html><html lang="en"><head><title>Nothing here</title></head><body></body></html>\n'],
    );
    // Only these two hits had shown that it was delivered.
    assert.deepEqual(await fate(), { state: "sent", instants: { sent: sentAt }, counted: { sent: 1 } });
    house.advance(60_000);
    await open(mail);
    assert.equal((await fate()).state, "sent");
    assert.deepEqual(
      (await hitsOf(house, mail)).map(({ kind, bot }) => [kind, bot]),
      [
        ["open", "trap"],
        ["click", "trap"],
        ["trap", "trap"],
        ["open", "trap"],
      ],
    );
    await healthy();
    house.advance(1);
    await click(mail);
    const at = house.now();
    assert.deepEqual((await fate()).instants, { sent: sentAt, delivered: at, clicked: at });
    await healthy();
  });

  it("leaves what came longer before", async () => {
    const { mail, sentAt, fate } = await message();
    const at = house.now();
    await open(mail);
    house.advance(30_000);
    await click(mail);
    house.advance(30_001);
    await honeypot(mail);
    assert.deepEqual(await fate(), {
      state: "opened",
      instants: { sent: sentAt, delivered: at, opened: at },
      counted: { sent: 1, delivered: 1, opened: 1 },
    });
    assert.deepEqual(
      (await hitsOf(house, mail)).map(({ bot }) => bot),
      [null, "trap", "trap"],
    );
    await healthy();
  });

  it("takes two links within a second for a machine's, the first one included", async () => {
    const { mail, sentAt, fate } = await message();
    await click(mail, "https://shop.example/a");
    house.advance(1_000);
    await click(mail, "https://shop.example/b");
    assert.deepEqual(await fate(), { state: "sent", instants: { sent: sentAt }, counted: { sent: 1 } });
    house.advance(1_001);
    await click(mail, "https://shop.example/a");
    assert.equal((await fate()).instants.clicked, house.now());
    assert.deepEqual(
      (await hitsOf(house, mail)).map(({ bot }) => bot),
      ["burst", "burst", null],
    );
    await healthy();
  });

  it("takes the same link within a second for a nervous finger", async () => {
    const { mail, fate } = await message();
    const at = house.now();
    await click(mail);
    house.advance(200);
    await click(mail);
    assert.deepEqual([(await fate()).instants.clicked, (await fate()).counted.clicked], [at, 1]);
  });

  it("takes back the state that was before: the latest resolution, or the delivery", async () => {
    const { project, mail, sentAt, fate } = await message();
    await house.database.pool.query(
      "update deliveries set bounced_at = $2, state = 'bounced' where user_key = $1",
      [mail.userKey, sentAt + 5],
    );
    await house.database.pool.query("update campaign_stats set bounced = 1 where campaign_id = $1", [
      mail.campaignId,
    ]);
    await click(mail);
    assert.equal((await fate()).state, "clicked");
    await honeypot(mail);
    assert.equal((await fate()).state, "bounced");
    await healthy();
    assert.equal(await suppressionOf(house, project, mail.address), null);
  });

  it("leaves a mail delivered that its provider reported as that, whichever came first", async () => {
    const provider = fakePostmark();
    for (const kind of [open, click] as const)
      for (const reportedAfter of [-1_000, 0, 300] as const) {
        const project = await house.project();
        await reportedBy(house, project, "postmark", provider.secret);
        const { goal } = await project.api.createGoal({ body: { name: "Goal", targetEvent: "paid" } });
        const mail = await sentMail(house, project, { goalId: goal.id });
        const hitAt = house.now() + 10_000;
        const reportedAt = hitAt + reportedAfter;
        const report = async (): Promise<void> => {
          house.at(reportedAt);
          const event = provider.event("delivered", { deliveryId: mail.deliveryId }, reportedAt);
          const posted = provider.post([event], reportedAt);
          const { status } = await postReport(house, `postmark/${project.projectId}`, posted);
          assert.equal(status, 200);
        };
        const hit = async (): Promise<void> => {
          house.at(hitAt);
          await kind(mail);
        };
        for (const step of reportedAfter < 0 ? [report, hit] : [hit, report]) await step();
        house.at(hitAt + 400);
        await honeypot(mail);
        const label = `${kind.name}, reported ${reportedAfter} ms after it`;
        const { state, instants, counted } = await fateOf(house, project, mail);
        assert.deepEqual([state, instants.delivered], ["delivered", reportedAt], label);
        assert.deepEqual(counted, { sent: 1, delivered: 1 }, label);
        await project.sdk.track({ body: { userId: mail.userId, event: "paid" } });
        assert.equal((await fateOf(house, project, mail)).instants.converted, hitAt + 400, label);
        await healthy();
      }
  });

  it("takes back a conversion that only this exposure allowed", async () => {
    const project = await house.project();
    const { goal } = await project.api.createGoal({ body: { name: "Goal", targetEvent: "paid" } });
    const mail = await sentMail(house, project, { goalId: goal.id });
    const sentAt = house.now();
    const fate = () => fateOf(house, project, mail);
    const pay = () => project.sdk.track({ body: { userId: mail.userId, event: "paid" } });
    house.advance(10_000);
    await open(mail);
    house.advance(10);
    await pay();
    house.advance(10);
    await pay();
    const paidAt = house.now();
    assert.deepEqual((await fate()).counted, { sent: 1, delivered: 1, opened: 1, converted: 1 });
    await healthy();
    house.advance(10);
    await honeypot(mail);
    assert.deepEqual(await fate(), { state: "sent", instants: { sent: sentAt }, counted: { sent: 1 } });
    await healthy();
    // Delivered between the two payments: the later one converts.
    const delivery = { ...deliveryRef({ ...mail, projectId: project.projectId }), period: null };
    await recordDeliveryEvents(house.database.pool, [{ ...delivery, event: "delivered", at: paidAt - 5 }]);
    assert.deepEqual(await fate(), {
      state: "converted",
      instants: { sent: sentAt, delivered: paidAt - 5, converted: paidAt },
      counted: { sent: 1, delivered: 1, converted: 1 },
    });
    await healthy();
  });

  it("takes back the click of somebody who had bought before, and leaves them converted", async () => {
    const project = await house.project();
    const { goal } = await project.api.createGoal({ body: { name: "Goal", targetEvent: "paid" } });
    const mail = await sentMail(house, project, { goalId: goal.id });
    const { campaignId } = mail;
    const delivery = { ...deliveryRef({ ...mail, projectId: project.projectId }), period: null };
    const path = { id: apiId("cmp", campaignId) };
    const listed = async (state: "clicked" | "converted" | "unsubscribed") =>
      (await project.api.listCampaignDeliveries({ path, query: { state } })).total;
    const fate = () => fateOf(house, project, mail);
    house.advance(10_000);
    await recordDeliveryEvents(house.database.pool, [{ ...delivery, event: "delivered", at: house.now() }]);
    house.advance(10);
    await project.sdk.track({ body: { userId: mail.userId, event: "paid" } });
    const bought = await fate();
    assert.equal(bought.state, "converted");
    house.advance(10);
    await click(mail, "https://shop.example/a");
    assert.equal((await fate()).state, "clicked");
    await click(mail, "https://shop.example/b");
    assert.deepEqual(await fate(), bought);
    assert.deepEqual([await listed("clicked"), await listed("converted")], [0, 1]);
    await healthy();
    // A reverted click leaves the state of the latest event before it.
    house.advance(10_000);
    await recordDeliveryEvents(house.database.pool, [
      { ...delivery, event: "unsubscribed", at: house.now() },
    ]);
    house.advance(10_000);
    await click(mail, "https://shop.example/a");
    await click(mail, "https://shop.example/b");
    assert.deepEqual([await listed("unsubscribed"), await listed("converted")], [1, 0]);
    await healthy();
  });
});

describe("hits", () => {
  it("are kept up to 200 of a message, then only counted", async () => {
    const { mail, fate } = await message();
    for (let i = 0; i < 5; i++)
      await Promise.all(Array.from({ length: 41 }, () => open(mail, { agent: "curl/8" })));
    assert.equal((await hitsOf(house, mail)).length, 200);
    await click(mail);
    assert.equal((await fate()).state, "clicked");
    house.advance(1_000);
    await honeypot(mail);
    assert.equal((await fate()).state, "sent");
    const { rows } = await house.database.pool.query("select hits from email_hit_heads where user_key = $1", [
      mail.userKey,
    ]);
    assert.deepEqual([rows, (await hitsOf(house, mail)).length], [[{ hits: 207 }], 200]);
    await healthy();
  });

  it("prove that an unknown message left, a machine's too", async () => {
    for (const agent of [PERSON, "curl/8"]) {
      const { mail, sentAt, fate } = await message({ status: "unknown" });
      const at = house.now();
      await open(mail, { agent });
      const { instants } = await fate();
      assert.equal(instants.sent, sentAt);
      assert.equal(instants.opened, agent === PERSON ? at : undefined);
      const { rows } = await house.database.pool.query(
        `select s.status, o.kind, o.ordinal, o.at from email_sends s join email_outcomes o using (lane, user_key, campaign_id)
        where s.user_key = $1 and s.campaign_id = $2 and o.kind <> 'unknown'`,
        [mail.userKey, mail.campaignId],
      );
      assert.deepEqual(rows, [{ status: "accepted", kind: "accepted", ordinal: 1, at }]);
      house.advance(1_000);
      await click(mail);
      assert.equal((await fate()).instants.clicked, house.now());
      await healthy();
    }
  });

  it("of many messages at once are each in their place, in two processes", async () => {
    const project = await house.project();
    const elsewhere = await house.elsewhere(project);
    const campaignId = await mailCampaign(house, project);
    const mails = await Promise.all(
      Array.from({ length: 12 }, (_, i) =>
        sentMail(house, project, { userId: `user ${i}`, address: `u${i}@example.com`, campaignId }),
      ),
    );
    house.advance(10_000);
    const at = house.now();
    await Promise.all(
      mails.flatMap((mail, i) =>
        Array.from({ length: 6 }, async (_, turn) => {
          const url =
            [mail.link("open.gif"), mail.click(SHOP), i % 3 === 0 ? mail.link("trap") : mail.click(SHOP)][
              turn % 3
            ] ?? "";
          await ask(turn < 3 ? url : url.replace(house.url, elsewhere.url));
        }),
      ),
    );
    for (const [i, mail] of mails.entries()) {
      const { instants } = await fateOf(house, project, mail);
      assert.deepEqual([instants.opened, instants.clicked], i % 3 === 0 ? [undefined, undefined] : [at, at]);
    }
    await healthy();
  });

  it("are judged as the rules say of all of them together, in any order of any kind", async () => {
    const project = await house.project();
    const { goal } = await project.api.createGoal({ body: { name: "Goal", targetEvent: "paid" } });
    const mail = await sentMail(house, project, { goalId: goal.id });
    const sentAt = house.now();
    const fate = () => fateOf(house, project, mail);
    const random = seeded(20_261_120);
    const past: Hit[] = [];
    house.at(sentAt);
    for (let turn = 0; turn < 150; turn++) {
      house.advance(STEPS[Math.floor(random() * STEPS.length)] ?? 1);
      const kind =
        (["open", "open", "click", "click", "click", "click", "trap"] as const)[Math.floor(random() * 7)] ??
        "open";
      const url = kind === "click" ? `https://shop.example/${random() < 0.7 ? "a" : "b"}` : null;
      const asking = random() < 0.1 ? { agent: "curl/8" } : {};
      if (random() < 0.1) await project.sdk.track({ body: { userId: mail.userId, event: "paid" } });
      await (url === null
        ? kind === "open"
          ? open(mail, asking)
          : honeypot(mail, asking)
        : click(mail, url, asking));
      past.push({ kind, url, at: house.now(), bot: "agent" in asking ? "robot" : null });
      const people = past.filter((hit) => isPerson(hit, past, sentAt));
      const first = (wanted: string): number | undefined => people.find((hit) => hit.kind === wanted)?.at;
      const { state, instants } = await fate();
      assert.ok(typeof state === "string" && instants[state] !== undefined, `turn ${turn}: ${state}`);
      const expected = [first("open"), first("click")];
      assert.deepEqual([instants.opened, instants.clicked], expected, `turn ${turn}`);
      const delivered = expected.filter((at) => at !== undefined);
      assert.equal(instants.delivered, delivered.length === 0 ? undefined : Math.min(...delivered));
      const kept = (await hitsOf(house, mail)).map(({ bot }) => bot === null);
      assert.deepEqual(
        kept,
        past.map((hit) => people.includes(hit)),
        `turn ${turn}`,
      );
      if (turn % 10 === 0) await healthy();
    }
    await healthy();
  });
});

const STEPS = [0, 1, 300, 999, 1_000, 1_001, 2_000, 20_000, 59_000, 60_001, 200_000];

/** Whether a hit is a person's, as the documented rules say it when they see all hits of the message at once. */
function isPerson(hit: Hit, all: readonly Hit[], sentAt: number): boolean {
  const isNear = (other: Hit, within: number): boolean => Math.abs(other.at - hit.at) <= within;
  if (hit.bot !== null || hit.kind === "trap") return false;
  if (all.some((other) => other.kind === "trap" && isNear(other, 60_000))) return false;
  if (hit.kind === "open") return true;
  const isBurst = all.some(
    (other) => other.kind === "click" && other.url !== hit.url && isNear(other, 1_000),
  );
  return hit.at - sentAt >= 3_000 && !isBurst;
}

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

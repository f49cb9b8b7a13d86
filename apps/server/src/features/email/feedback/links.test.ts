import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { testHouse } from "../../../../test/harness.ts";
import {
  ask,
  click,
  hitsOf,
  honeypot,
  open,
  SHOP,
  sentMail,
  sentTenSecondsAgo,
  unboundClick,
} from "../../../../test/mail.ts";
import { apiId } from "../../../domain/ids.ts";
import { linkSigner } from "../sending/public.ts";

const house = testHouse();

const healthy = async (): Promise<void> => assert.deepEqual(await house.differences(), {});

const message = (options?: Parameters<typeof sentTenSecondsAgo>[1]) => sentTenSecondsAgo(house, options);

describe("the picture of a message", () => {
  it("is one transparent pixel, and opens the message", async () => {
    const { mail, sentAt, fate } = await message();
    const answer = await open(mail);
    const gif = Buffer.from(await answer.arrayBuffer());
    assert.deepEqual([answer.status, answer.headers.get("content-type")], [200, "image/gif"]);
    assert.equal(gif.toString("latin1", 0, 6), "GIF89a");
    assert.deepEqual([gif.readUInt16LE(6), gif.readUInt16LE(8)], [1, 1]);
    assert.equal(answer.headers.get("cache-control"), "no-store");
    const at = house.now();
    assert.deepEqual(await fate(), {
      state: "opened",
      instants: { sent: sentAt, delivered: at, opened: at },
      counted: { sent: 1, delivered: 1, opened: 1 },
    });
    await healthy();
  });

  it("is there for a bad token too, and nothing is recorded", async () => {
    const { mail, fate } = await message();
    const before = await fate();
    const good = mail.link("open.gif");
    const token = good.split("/")[4] ?? "";
    const bad = [
      good.replace(token, "x"),
      good.replace(token, mail.messageToken),
      good.replace(token, token.slice(0, -1)),
      good.replace(token, `${token.slice(0, -1)}${token.endsWith("A") ? "B" : "A"}`),
      good.replace(token, `${token.startsWith("A") ? "B" : "A"}${token.slice(1)}`),
      good.replace(token, "%00"),
      good.replace(token, "x".repeat(3_000)),
    ];
    for (const url of bad) {
      const answer = await ask(url);
      assert.deepEqual([answer.status, answer.headers.get("content-type")], [200, "image/gif"], url);
    }
    assert.deepEqual([await fate(), await hitsOf(house, mail)], [before, []]);
  });

  it("opens once, however often and however many at once", async () => {
    const { mail, sentAt, fate } = await message();
    const at = house.now();
    await Promise.all(Array.from({ length: 30 }, () => open(mail)));
    house.advance(5_000);
    await open(mail);
    const { instants, counted } = await fate();
    assert.deepEqual(instants, { sent: sentAt, delivered: at, opened: at });
    assert.deepEqual(counted, { sent: 1, delivered: 1, opened: 1 });
    assert.equal((await hitsOf(house, mail)).length, 31);
    await healthy();
  });

  it("keeps nothing of the visitor", async () => {
    const { rows } = await house.database.pool.query<{ name: string }>(`
      select column_name as name from information_schema.columns where table_name in ('email_hits', 'email_hit_heads')`);
    assert.ok(rows.every(({ name }) => !/ip|agent|visitor|browser/.test(name)));
  });
});

describe("a link of a message", () => {
  it("leads where it says, and counts one click", async () => {
    const { mail, sentAt, fate } = await message();
    const answer = await click(mail);
    assert.deepEqual([answer.status, answer.headers.get("location")], [302, new URL(SHOP).href]);
    const at = house.now();
    house.advance(7_000);
    await Promise.all(Array.from({ length: 10 }, () => click(mail)));
    assert.deepEqual(await fate(), {
      state: "clicked",
      instants: { sent: sentAt, delivered: at, clicked: at },
      counted: { sent: 1, delivered: 1, clicked: 1 },
    });
    const [first] = await hitsOf(house, mail);
    assert.deepEqual(first, { kind: "click", at, url: SHOP, bot: null });
    await healthy();
  });

  it("tells nobody where it was opened, and is found by no search", async () => {
    const { mail } = await message();
    for (const follow of [open, click, honeypot]) {
      const { headers } = await follow(mail);
      assert.equal(headers.get("referrer-policy"), "no-referrer");
      assert.equal(headers.get("cache-control"), "no-store");
      assert.match(headers.get("x-robots-tag") ?? "", /^noindex/);
      assert.match(headers.get("content-security-policy") ?? "", /^default-src 'none'/);
      assert.equal(headers.get("set-cookie"), null);
    }
  });

  it("works when the campaign has ended, and for a user who was erased", async () => {
    const { project, mail, fate } = await message();
    await house.database.pool.query(
      "update campaigns set status = 'ended', ended_at = started_at where id = $1",
      [mail.campaignId],
    );
    await click(mail);
    const { state } = await fate();
    assert.equal(state, "clicked");
    await project.api.eraseUser({ path: { id: mail.userId } });
    assert.deepEqual(await hitsOf(house, mail), []);
    house.advance(100_000);
    for (const follow of [click, open, honeypot]) {
      const answer = await follow(mail);
      assert.equal(answer.status, follow === click ? 302 : 200);
    }
    assert.deepEqual(await hitsOf(house, mail), []);
    const path = { id: apiId("cmp", mail.campaignId) };
    const { stats } = (await project.api.getCampaign({ path })).campaign;
    assert.deepEqual([stats.clicked, stats.opened], [1, 0]);
    await healthy();
  });

  it("is no open redirect", async () => {
    const { mail, fate } = await message();
    const before = await fate();
    const signer = house.tidings.app.get(linkSigner);
    const evil = [
      "https://evil.example",
      "//evil.example",
      "/\\evil.example",
      "javascript:alert(1)",
      "https://shop.example@evil.example/",
      "https://shop.example/\r\nset-cookie: a=b",
      `${SHOP}\0`,
      `${SHOP}x`,
      ` ${SHOP}`,
      SHOP.toUpperCase(),
      "",
    ];
    const good = encodeURIComponent(SHOP);
    const s = signer.signTarget(mail.campaignId, SHOP);
    const urls = [
      ...evil.map((to) => `click?to=${encodeURIComponent(to)}&s=${s}`),
      ...evil.map((to) => `click?to=${encodeURIComponent(to)}`),
      ...["", "x", s.slice(1), `${s}=`, `${s}A`, s.toLowerCase(), "%00", "é"].map(
        (bad) => `click?to=${good}&s=${bad}`,
      ),
      `click?to=${encodeURIComponent("https://evil.example")}&to=${good}&s=${s}`,
      `click?s=${s}`,
      "click",
      "click?to=%&s=%",
    ].map(mail.link);
    // Even what was signed has to be an address of the web.
    const signed = ["javascript:alert(1)", "//evil.example", "data:text/html,x", "mailto:a@b.example"];
    urls.push(...signed.map((to) => mail.click(to)));
    urls.push(mail.click(SHOP).replace("/e/", "/e/x"));
    for (const url of urls) {
      const answer = await ask(url);
      const page = await answer.text();
      assert.deepEqual([answer.status, answer.headers.get("location")], [404, null], url);
      assert.match(page, /<h1>This link does not work<\/h1>/);
      assert.ok(!page.includes("evil"));
    }
    assert.deepEqual([await fate(), await hitsOf(house, mail)], [before, []]);
  });

  it("leads nowhere behind the token of another campaign, of the same project or another", async () => {
    const signer = house.tidings.app.get(linkSigner);
    const { project, mail, fate } = await message();
    const before = await fate();
    const sibling = await sentMail(house, project, { userId: "bob" });
    const stranger = await sentMail(house, await house.project());
    for (const other of [sibling, stranger]) {
      const s = signer.signTarget(other.campaignId, SHOP);
      const answer = await ask(mail.link(`click?to=${encodeURIComponent(SHOP)}&s=${s}`));
      assert.deepEqual([answer.status, answer.headers.get("location")], [404, null]);
      assert.equal((await click(other)).status, 302);
    }
    assert.deepEqual([await fate(), await hitsOf(house, mail)], [before, []]);
  });

  it("of mail from before signatures named the campaign leads on, of campaigns of that time alone", async () => {
    const { mail: old } = await message();
    const { mail: recent, fate } = await message();
    const before = await fate();
    // As the upgrade marks the campaigns that it meets.
    await house.database.pool.query("update campaigns set has_unbound_links = true where id = $1", [
      old.campaignId,
    ]);
    const { app } = house.tidings;
    const answer = await ask(unboundClick(app, old, SHOP));
    assert.deepEqual([answer.status, answer.headers.get("location")], [302, new URL(SHOP).href]);
    assert.equal((await hitsOf(house, old)).length, 1);
    assert.equal((await ask(unboundClick(app, old, SHOP).replace(/&s=.*/, "&s=x"))).status, 404);
    assert.equal((await click(old)).status, 302);
    const refused = await ask(unboundClick(app, recent, SHOP));
    assert.deepEqual([refused.status, refused.headers.get("location")], [404, null]);
    assert.deepEqual([await fate(), await hitsOf(house, recent)], [before, []]);
  });

  it("puts no line break into a header, even if it was signed", async () => {
    const { mail } = await message();
    const answer = await click(mail, "https://shop.example/a\r\nset-cookie: a=b");
    assert.equal(answer.status, 302);
    assert.equal(answer.headers.get("set-cookie"), null);
    assert.equal(answer.headers.get("location"), "https://shop.example/aset-cookie:%20a=b");
  });

  it("leads on while nothing can be recorded", async () => {
    const { mail } = await message();
    await house.database.pool.query("alter table email_hits rename to email_hits_away");
    try {
      const answers = await Promise.all([click(mail), open(mail), honeypot(mail)]);
      assert.deepEqual(
        answers.map(({ status }) => status),
        [302, 200, 200],
      );
    } finally {
      await house.database.pool.query("alter table email_hits_away rename to email_hits");
    }
    await healthy();
  });
});

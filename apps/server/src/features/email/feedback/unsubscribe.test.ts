import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setSettings } from "../../../../test/email.ts";
import { refusal, type TestProject, testHouse } from "../../../../test/harness.ts";
import { fateOf, mailCampaign, sentMail, suppressionOf, type TestMail } from "../../../../test/mail.ts";
import { addressRef, allowAddress, suppressAddress } from "../addresses/public.ts";
import type { SuppressionReason } from "../addresses/rules.ts";

const house = testHouse();

const healthy = async (): Promise<void> => assert.deepEqual(await house.differences(), {});

type Body = { body?: string | FormData | Uint8Array<ArrayBuffer>; type?: string };

async function send(mail: TestMail, method: string, part = "unsubscribe", { body, type }: Body = {}) {
  const answer = await fetch(mail.link(part), {
    method,
    redirect: "manual",
    ...(body === undefined ? {} : { body }),
    ...(type === undefined ? {} : { headers: { "content-type": type } }),
  });
  return { status: answer.status, headers: answer.headers, page: await answer.text() };
}

async function message() {
  const project = await house.project();
  const mail = await sentMail(house, project);
  const sentAt = house.now();
  house.advance(10_000);
  const suppression = () => suppressionOf(house, project, mail.address);
  return { project, mail, sentAt, fate: () => fateOf(house, project, mail), suppression };
}

/** Stops mail to an address, as a person or a report does. */
const suppress = ({ projectId }: TestProject, address: string, reason: SuppressionReason) =>
  suppressAddress(house.database.kysely, projectId, addressRef(projectId, address), {
    reason,
    at: house.now(),
  });

describe("the unsubscribe page", () => {
  it("names who sends, has one button and no script, and changes nothing", async () => {
    const { project, mail, fate, suppression } = await message();
    await house.database.pool.query("update projects set name = $2 where id = $1", [
      project.projectId,
      `Anna's <b>Tea</b> & "Co"`,
    ]);
    const before = await fate();
    for (let i = 0; i < 3; i++) {
      const { status, headers, page } = await send(mail, "GET");
      assert.equal(status, 200);
      assert.equal(headers.get("content-type"), "text/html; charset=utf-8");
      assert.ok(page.includes("Stop email from Anna&#39;s &lt;b&gt;Tea&lt;/b&gt; &amp; &quot;Co&quot;?"));
      assert.equal(page.match(/<button/g)?.length, 1);
      assert.ok(!/<script|<b>|https?:/.test(page));
      assert.match(headers.get("content-security-policy") ?? "", /^default-src 'none'; style-src 'sha256-/);
      assert.equal(headers.get("referrer-policy"), "no-referrer");
      assert.equal(headers.get("cache-control"), "no-store");
      assert.match(headers.get("x-robots-tag") ?? "", /noindex/);
      assert.equal(headers.get("x-content-type-options"), "nosniff");
    }
    assert.deepEqual([await fate(), await suppression()], [before, null]);
  });

  it("calls the sender what their mail calls them, and the project by its own name only where there is no sender", async () => {
    const { project, mail } = await message();
    const named = async () => /Stop email from (.*)\?<\/h1>/.exec((await send(mail, "GET")).page)?.[1];
    await setSettings(house, project, { "email.from": "Anna & Söhne <news@acme.example>" });
    assert.equal(await named(), "Anna &amp; Söhne");
    await setSettings(house, project, { "email.from": "news@acme.example" });
    assert.equal(await named(), "news@acme.example");
    await setSettings(house, project, { "email.from": "Anna <news@acme.example>" });
    assert.match((await send(mail, "POST")).page, /Anna sends no more of these emails/);
  });

  it("is not there for a link that nobody made", async () => {
    const { mail, fate } = await message();
    const before = await fate();
    const token = mail.link("x").split("/")[4] ?? "";
    for (const bad of ["x", mail.messageToken, mail.deliveryId, `${token}x`, token.slice(1)]) {
      for (const [method, part] of [
        ["GET", "unsubscribe"],
        ["POST", "unsubscribe"],
        ["POST", "resubscribe"],
      ]) {
        const answer = await fetch(mail.link(part ?? "").replace(token, bad), { method: method ?? "" });
        assert.equal(answer.status, 404, `${method} ${bad}`);
        assert.match(await answer.text(), /This link does not work/);
      }
    }
    assert.deepEqual(await fate(), before);
  });

  it("refuses other methods, and says which there are", async () => {
    const { mail } = await message();
    for (const [method, part, allow] of [
      ["PUT", "unsubscribe", "GET, HEAD, POST"],
      ["DELETE", "unsubscribe", "GET, HEAD, POST"],
      ["GET", "resubscribe", "POST"],
      ["POST", "click", "GET, HEAD"],
      ["POST", "open.gif", "GET, HEAD"],
    ] as const) {
      const { status, headers } = await send(mail, method, part);
      assert.deepEqual([status, headers.get("allow")], [405, allow], `${method} ${part}`);
    }
  });
});

describe("unsubscribing", () => {
  const form = new FormData();
  form.set("List-Unsubscribe", "One-Click");
  const bodies: readonly [string, Body][] = [
    ["the form of the page", { body: "", type: "application/x-www-form-urlencoded" }],
    ["one click", { body: "List-Unsubscribe=One-Click", type: "application/x-www-form-urlencoded" }],
    ["one click, multipart", { body: form }],
    ["no body", {}],
    ["JSON that is none", { body: "{", type: "application/json" }],
    ["a type that is none", { body: "x", type: "nonsense" }],
    ["bytes", { body: Uint8Array.from([0, 255, 254]), type: "application/octet-stream" }],
  ];
  for (const [name, body] of bodies) {
    it(`takes ${name}`, async () => {
      const { mail, sentAt, fate, suppression } = await message();
      const { status, page } = await send(mail, "POST", "unsubscribe", body);
      assert.equal(status, 200);
      assert.match(page, /<h1>You are unsubscribed<\/h1>/);
      assert.deepEqual(await fate(), {
        state: "unsubscribed",
        instants: { sent: sentAt, unsubscribed: house.now() },
        counted: { sent: 1, unsubscribed: 1 },
      });
      assert.equal(await suppression(), "unsubscribed");
      await healthy();
    });
  }

  it("once or fifty times at once is the same", async () => {
    const { mail, fate, suppression } = await message();
    const at = house.now();
    const answers = await Promise.all(Array.from({ length: 50 }, () => send(mail, "POST")));
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
    house.advance(1_000);
    await send(mail, "POST");
    const { instants, counted } = await fate();
    assert.deepEqual([instants.unsubscribed, counted], [at, { sent: 1, unsubscribed: 1 }]);
    assert.equal(await suppression(), "unsubscribed");
    await healthy();
  });

  it("of fifty people at once, with opens and clicks, is fifty", async () => {
    const project = await house.project();
    const campaignId = await mailCampaign(house, project);
    const mails: TestMail[] = [];
    for (let i = 0; i < 50; i++) mails.push(await sentMail(house, project, { userId: `u${i}`, campaignId }));
    house.advance(10_000);
    await Promise.all(
      mails.flatMap((mail) => [
        send(mail, "POST"),
        fetch(mail.link("open.gif"), { headers: { "user-agent": "Mail" } }),
        fetch(mail.click("https://shop.example/"), { headers: { "user-agent": "Mail" }, redirect: "manual" }),
      ]),
    );
    const { counted } = await fateOf(house, project, mails[0] as TestMail);
    assert.deepEqual(counted, { sent: 50, delivered: 50, opened: 50, clicked: 50, unsubscribed: 50 });
    for (const { address } of mails)
      assert.equal(await suppressionOf(house, project, address), "unsubscribed");
    await healthy();
  });

  it("is for the whole project, and for no other", async () => {
    const { project, mail } = await message();
    const other = await house.project();
    await sentMail(house, other);
    await send(mail, "POST");
    assert.equal(await suppressionOf(house, project, mail.address), "unsubscribed");
    assert.equal(await suppressionOf(house, project, mail.address.toUpperCase()), "unsubscribed");
    assert.equal(await suppressionOf(house, other, mail.address), null);
  });

  it("of somebody who was erased works, and brings nobody back", async () => {
    const { project, mail } = await message();
    await project.api.eraseUser({ path: { id: mail.userId } });
    for (const [method, part] of [
      ["GET", "unsubscribe"],
      ["POST", "unsubscribe"],
      ["POST", "resubscribe"],
    ] as const)
      assert.equal((await send(mail, method, part)).status, 200);
    assert.equal((await refusal(project.api.getUser({ path: { id: mail.userId } }))).status, 404);
    await healthy();
  });

  it("while the user is being erased ends well", async () => {
    for (let round = 0; round < 10; round++) {
      const { project, mail } = await message();
      const [, ...answers] = await Promise.all([
        project.api.eraseUser({ path: { id: mail.userId } }),
        send(mail, "POST"),
        fetch(mail.link("open.gif"), { headers: { "user-agent": "Mail" } }),
        fetch(mail.link("trap")),
        send(mail, "POST"),
      ]);
      assert.deepEqual(
        answers.map(({ status }) => status),
        [200, 200, 200, 200],
      );
      const { rows } = await house.database.pool.query(
        "select from email_hits where user_key = $1 union all select from email_hit_heads where user_key = $1",
        [mail.userKey],
      );
      assert.equal(rows.length, 0);
    }
    await healthy();
  });

  it("refuses a body beyond all reason", async () => {
    const { mail, suppression } = await message();
    const { status } = await send(mail, "POST", "unsubscribe", { body: "x".repeat(8_193) });
    assert.deepEqual([status, await suppression()], [413, null]);
  });
});

describe("subscribing again", () => {
  it("lifts what the recipient did, and leaves the record", async () => {
    const { mail, fate, suppression } = await message();
    const at = house.now();
    await send(mail, "POST");
    house.advance(1_000);
    const { status, page } = await send(mail, "POST", "resubscribe");
    assert.equal(status, 200);
    assert.match(page, /<h1>You are subscribed again<\/h1>/);
    assert.equal(await suppression(), null);
    assert.deepEqual([(await fate()).instants.unsubscribed, (await fate()).state], [at, "unsubscribed"]);
    await send(mail, "POST", "resubscribe");
    assert.equal(await suppression(), null);
    await send(mail, "POST");
    assert.equal(await suppression(), "unsubscribed");
    assert.equal((await fate()).counted.unsubscribed, 1);
    await healthy();
  });

  for (const reason of ["bounced", "complained", "manual"] as const) {
    for (const order of ["before", "after"]) {
      it(`lifts nothing where mail was stopped as ${reason}, ${order} unsubscribing`, async () => {
        const { project, mail, suppression } = await message();
        if (order === "before") await suppress(project, mail.address, reason);
        await send(mail, "POST");
        if (order === "after") await suppress(project, mail.address, reason);
        const { status, page } = await send(mail, "POST", "resubscribe");
        assert.equal(status, 200);
        assert.match(page, /<h1>Email stays off<\/h1>/);
        assert.equal(await suppression(), reason);
      });
    }
  }

  it("is asked for by the button alone", async () => {
    const { project, mail, suppression } = await message();
    await send(mail, "POST");
    assert.equal((await send(mail, "GET", "resubscribe")).status, 405);
    assert.equal((await send(mail, "HEAD", "resubscribe")).status, 405);
    assert.equal(await suppression(), "unsubscribed");
    const { projectId } = project;
    const { kysely } = house.database;
    assert.equal(
      await allowAddress(kysely, projectId, addressRef(projectId, mail.address), { at: house.now() }),
      true,
    );
  });
});

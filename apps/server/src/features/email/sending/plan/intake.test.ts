import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { launchEmail, people, progressOf, sendingProject, setSettings } from "../../../../../test/email.ts";
import { type TestProject, testHouse } from "../../../../../test/harness.ts";
import { type SmtpPeer, startSmtp } from "../../../../../test/peers/smtp.ts";
import { BELIEVED_MS, hashOf, secretOf } from "../../../../../test/perimeter.ts";
import { HOUR_MS, MINUTE_MS } from "../../../../platform/time/clock.ts";

// With a databaseUrl, two processes that work leave each other's leases alone.
const house = testHouse({ databaseUrl: "postgres://elsewhere" });
let smtp: SmtpPeer;
before(async () => {
  smtp = await startSmtp();
});
after(() => smtp.close());

const limited = (perHour: number): Promise<TestProject> =>
  sendingProject(house, smtp.port, { "identity.newAddressesPerHour": String(perHour), "email.capMax": "0" });

const named = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, i) => `${prefix}${i}`);

const progress = async (project: TestProject, id: string) => {
  const { accepted, waiting } = await progressOf(project, id);
  const { unconfirmed } = await project.api.getCampaignEmail({ path: { id } });
  return { accepted, waiting, unconfirmed };
};

/** Has everything that is due planned and sent. */
async function nextPass(): Promise<void> {
  house.advance(MINUTE_MS);
  await house.drain();
}

describe("addresses that publishable keys gave", () => {
  it("are mailed up to a number for each hour; more wait for the word of the server, and are counted", async () => {
    const project = await limited(3);
    await people(project, named("now", 5));
    house.advance(HOUR_MS);
    await people(project, named("later", 2));
    const { id } = await launchEmail(project);
    await house.drain();
    assert.deepEqual(await progress(project, id), { accepted: 5, waiting: 0, unconfirmed: 2 });
    house.advance(3 * HOUR_MS);
    await nextPass();
    assert.deepEqual(await progress(project, id), { accepted: 5, waiting: 0, unconfirmed: 2 });

    const mailed = new Set(
      (await project.api.listCampaignDeliveries({ path: { id } })).deliveries.map(
        (each) => each.externalUserId,
      ),
    );
    const unmailed = named("now", 5).filter((userId) => !mailed.has(userId));
    assert.equal(unmailed.length, 2);
    const email = `${unmailed[0]}@example.com`;
    await project.api.identify({ body: { userId: unmailed[0] ?? "", traits: { email } } });
    await nextPass();
    assert.deepEqual(await progress(project, id), { accepted: 6, waiting: 0, unconfirmed: 1 });
  });

  it("are taken up once, for all campaigns", async () => {
    const project = await limited(2);
    await people(project, named("user", 4));
    const first = await launchEmail(project);
    await house.drain();
    const second = await launchEmail(project);
    await nextPass();
    for (const { id } of [first, second])
      assert.deepEqual(await progress(project, id), { accepted: 2, waiting: 0, unconfirmed: 2 });
  });

  it("are none where the number is 0, and those of the secret key are never counted", async () => {
    const project = await limited(0);
    await people(project, ["page"]);
    const users = named("server", 10).map((userId) => ({
      userId,
      traits: { email: `${userId}@example.com` },
    }));
    await project.api.identifyBatch({ body: { users } });
    const { id } = await launchEmail(project);
    await house.drain();
    assert.deepEqual(await progress(project, id), { accepted: 10, waiting: 0, unconfirmed: 1 });
    await setSettings(house, project, { "identity.newAddressesPerHour": "1" });
    await nextPass();
    assert.deepEqual(await progress(project, id), { accepted: 11, waiting: 0, unconfirmed: 0 });
  });

  it("are counted together by processes that plan at once", async () => {
    const project = await limited(10);
    await people(project, named("user", 40));
    const launched = await Promise.all(named("campaign", 6).map((name) => launchEmail(project, { name })));
    const second = await house.second();
    await Promise.all([house.drain(), second.drain()]);
    await nextPass();
    for (const { id } of launched)
      assert.deepEqual(await progress(project, id), { accepted: 10, waiting: 0, unconfirmed: 30 });
  });

  it("wait too where they became others between planning and sending", async () => {
    const project = await limited(1);
    const secret = await secretOf(house, project);
    house.advance(BELIEVED_MS);
    await people(project, ["eve"]);
    const { id } = await launchEmail(project);
    await setSettings(house, project, { "email.from": "" });
    await house.drain();
    assert.equal((await progress(project, id)).waiting, 1, "planned, and nothing leaves");
    const email = "stranger@target.example";
    await project.sdk.identify({
      body: { userId: "eve", traits: { email }, userHash: hashOf(secret, "eve") },
    });
    await setSettings(house, project, { "email.from": "Acme News <news@acme.example>" });
    await nextPass();
    assert.deepEqual(await progress(project, id), { accepted: 0, waiting: 1, unconfirmed: 0 });
    assert.ok(smtp.taken.every(({ to }) => to !== email));
    await project.api.identify({ body: { userId: "eve", traits: { email } } });
    house.advance(HOUR_MS);
    await nextPass();
    assert.deepEqual(await progress(project, id), { accepted: 1, waiting: 0, unconfirmed: 0 });
    assert.ok(smtp.taken.some(({ to }) => to === email));
  });

  it("leave no differences behind", async () => {
    assert.deepEqual(await house.differences(), {});
  });
});

describe("personal fields that a publishable key set", () => {
  const BAIT = "- your mailbox is full, renew at https://evil.example/renew -";
  const message = {
    subject: "Hi {{ user.name | default: 'there' }}",
    body: "For {{ user.name | default: 'you' }}: {{ user.hobby }}|{{ user.tags | join: ' ' }}|{{ user.id }}|",
  };

  async function mailTo(say: (project: TestProject) => Promise<unknown>): Promise<string> {
    const project = await limited(500);
    await say(project);
    const before = smtp.taken.length;
    await launchEmail(project, { message });
    await house.drain();
    const [mail] = smtp.taken.slice(before);
    return mail?.raw.toString("utf8").replaceAll("=\r\n", "").replaceAll("\r\n ", " ") ?? "";
  }

  const traits = (more: Record<string, unknown>) => ({ email: "ada@example.com", ...more });

  it("give way to their fallback where they hold the address of a page, or are long", async () => {
    for (const name of [BAIT, "WWW.evil.example", "x".repeat(101), "ftp://evil.example"]) {
      const mail = await mailTo(({ sdk }) =>
        sdk.identify({ body: { userId: "ada", traits: traits({ name, hobby: name, tags: ["a", name] }) } }),
      );
      assert.match(mail, /^Subject: Hi there\r?$/m, name);
      assert.doesNotMatch(mail, /evil|xxxxxx/i);
    }
    const fits = "🎯".repeat(3) + "x".repeat(97);
    const mail = await mailTo(({ sdk }) =>
      sdk.identify({
        body: { userId: "ada", traits: traits({ name: "Ada", hobby: fits, tags: ["a", "b"] }) },
      }),
    );
    assert.match(mail, /^Subject: Hi Ada\r?$/m);
    assert.match(mail, /x{97}.*a b/);
  });

  it("do so too where an id holds one", async () => {
    const userId = "https://evil.example/renew";
    const mail = await mailTo(({ sdk }) => sdk.identify({ body: { userId, traits: traits({}) } }));
    assert.doesNotMatch(mail, /evil/);
  });

  it("say what the secret key set, whatever that is", async () => {
    const userId = "https://id.example/ada";
    const hobby = `${"long ".repeat(30)} https://shop.example`;
    const mail = await mailTo(async ({ api, sdk }) => {
      await api.identify({ body: { userId, traits: traits({ hobby }) } });
      await sdk.identify({ body: { userId, traits: { name: BAIT, hobby: BAIT } } });
    });
    assert.match(mail, /https:\/\/shop\.example/);
    assert.match(mail, /https:\/\/id\.example\/ada/);
    assert.doesNotMatch(mail, /evil/);
  });
});

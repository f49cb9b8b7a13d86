import assert from "node:assert/strict";
import { after, afterEach, before, describe, it } from "node:test";
import { createPeopleClient } from "@tidings/client";
import { launchEmail, people, setSettings } from "../../../../../test/email.ts";
import { refusal, type TestProject, testHouse } from "../../../../../test/harness.ts";
import { type DnsServer, startDnsServer } from "../../../../../test/peers/dns-server.ts";
import { type SmtpPeer, startSmtp } from "../../../../../test/peers/smtp.ts";
import { giveRole, makePerson, type TestPerson } from "../../../../../test/people.ts";
import { keepSecrets } from "../../../../../test/secrets/secrets-of-the-run.ts";
import type { PersonRole } from "../../../../platform/http/contract/person.ts";
import { listSettingChanges } from "../../../settings/public.ts";

const dns: DnsServer = await startDnsServer();
// An address that is not given to anybody.
dns.zone.set("mail.example.com", { addresses: ["2d00:0:0:0:0:0:0:25"] });
const house = testHouse({ dnsServer: dns.address });
let smtp: SmtpPeer;
before(async () => {
  smtp = await startSmtp();
});
after(async () => {
  await smtp.close();
  await dns.close();
});
afterEach(async () => assert.deepEqual(await house.differences(), {}));

async function personIn(
  { projectId }: TestProject,
  role: PersonRole,
  { isOperator = false } = {},
): Promise<[TestPerson, ReturnType<typeof createPeopleClient>]> {
  const person = await makePerson(house, { isOperator });
  await giveRole(house, projectId, person, role);
  return [person, createPeopleClient(house.url, person.headers(projectId))];
}

/** Publishes records as the page shows them. */
function publish(records: readonly { name: string; value: string }[]): void {
  for (const { name, value } of records) dns.zone.set(name, [value.match(/.{1,255}/g) ?? []]);
}

const entries = async (person: TestPerson) =>
  (
    await house.database.pool.query<{ operation: string; target: string | null; detail: unknown }>(
      "select operation, target, detail from audit_entries where by_id = $1 and operation <> 'signIn' order by id",
      [person.id],
    )
  ).rows;

describe("the sender", () => {
  it("is prepared step by step: what is missing shrinks, DNS is asked, and mail leaves signed", async () => {
    const project = await house.project();
    const [owner, api] = await personIn(project, "owner", { isOperator: true });
    const empty = await api.getEmailSender();
    assert.deepEqual(
      [empty.missing, empty.mailServer, empty.domain, empty.from],
      [["from", "postalAddress"], "outbox", null, null],
    );
    const domain = "step.example";
    const first = await api.prepareEmailSender({ body: { from: `Acme <news@${domain}>` } });
    assert.deepEqual([first.from, first.missing], [`Acme <news@${domain}>`, ["postalAddress"]]);
    assert.deepEqual(
      first.domain?.records.map(({ purpose, name }) => [purpose, name]),
      [
        ["dkim", `tidings._domainkey.${domain}`],
        ["spf", domain],
      ],
    );
    const url = `smtp://127.0.0.1:${smtp.port}`;
    const second = await api.prepareEmailSender({
      body: { postalAddress: "1 Main Street\nSpringfield", smtpUrl: url, spfInclude: "spf.step.example" },
    });
    assert.deepEqual([second.missing, second.mailServer], [["domain"], "own"]);
    assert.equal(second.domain?.records[1]?.value, "v=spf1 include:spf.step.example ~all");
    assert.equal(second.domain?.records[0]?.value, first.domain?.records[0]?.value, "the key stays");

    const wrong = await api.checkEmailSender();
    assert.deepEqual(
      [wrong.isVerified, wrong.records.map(({ problem }) => problem)],
      [false, ["is not there", "is not there"]],
    );
    const records = second.domain?.records ?? [];
    publish(records);
    dns.zone.set(domain, [["v=spf1 mx ~all"]]);
    const half = await api.checkEmailSender();
    assert.deepEqual(
      half.records.map(({ problem, found }) => [problem, found.length]),
      [
        [null, 1],
        ["does not have include:spf.step.example", 1],
      ],
    );
    assert.deepEqual((await api.getEmailSender()).missing, ["domain"]);
    publish(records);
    assert.equal((await api.checkEmailSender()).isVerified, true);
    const ready = await api.getEmailSender();
    assert.deepEqual([ready.missing, ready.domain?.maySend, ready.fault], [[], true, null]);
    assert.equal(ready.domain?.seenAt, house.now());

    const sent = await api.testEmailSender();
    assert.equal(sent.to, owner.email);
    const mail = smtp.taken.at(-1);
    assert.equal(mail?.to, owner.email);
    assert.match(String(mail?.raw), /^DKIM-Signature: v=1;[\s\S]*d=step\.example/m);
    assert.match(String(mail?.raw), /^Subject: \[Test\] Your mail arrives/m);
    assert.doesNotMatch(String(mail?.raw), /List-Unsubscribe/);

    const renewed = await api.renewSenderKey();
    assert.equal(renewed.domain?.seenAt, null);
    assert.notEqual(renewed.domain?.records[0]?.value, records[0]?.value);
    assert.deepEqual(renewed.missing, [], "mail still leaves, unsigned");
    await api.testEmailSender();
    assert.doesNotMatch(String(smtp.taken.at(-1)?.raw), /DKIM-Signature/);

    const log = await listSettingChanges(house.database.kysely, project.projectId);
    assert.deepEqual(log.map(({ key, by, after: value }) => [key, by, value]).reverse(), [
      ["email.from", owner.name, `Acme <news@${domain}>`],
      ["email.postalAddress", owner.name, "1 Main Street\nSpringfield"],
      ["email.smtpUrl", owner.name, "set"],
      ["email.spfInclude", owner.name, "spf.step.example"],
      ["email.domainVerified", "dns", domain],
    ]);
  });

  it("keeps its secrets: no answer, no entry and no log has them", async () => {
    const project = await house.project();
    const [owner, api] = await personIn(project, "owner");
    const password = "correct-horse-mail-server";
    keepSecrets(password, "whsec-of-the-provider");
    const sender = await api.prepareEmailSender({
      body: {
        smtpUrl: `smtp://acme:${password}@mail.example.com:587`,
        provider: "postmark",
        webhookSecret: "whsec-of-the-provider",
      },
    });
    assert.deepEqual(
      [sender.mailServer, sender.provider, sender.hasWebhookSecret, sender.webhookUrl],
      ["own", "postmark", true, `${house.url}/hooks/email/postmark/${project.projectId}`],
    );
    const texts = JSON.stringify([sender, await api.getEmailSender(), await entries(owner)]);
    assert.doesNotMatch(texts, /correct-horse|whsec/);
    const [entry] = await entries(owner);
    assert.deepEqual(entry?.detail, {
      fields: ["provider", "smtpUrl", "webhookSecret"],
      after: ["email.smtpUrl", "email.provider", "email.webhookSecret"],
    });
    const cleared = await api.prepareEmailSender({ body: { smtpUrl: null, webhookSecret: null } });
    assert.deepEqual([cleared.mailServer, cleared.hasWebhookSecret], ["outbox", false]);
  });

  it("says that a secret cannot be opened any more, and takes another one", async () => {
    const project = await house.project();
    const [, api] = await personIn(project, "owner", { isOperator: true });
    await setSettings(house, project, { "email.smtpUrl": `smtp://127.0.0.1:${smtp.port}` });
    await house.database.pool.query(
      "update settings set sealed = '\\x00' where project_id = $1 and key = 'email.smtpUrl'",
      [project.projectId],
    );
    const broken = await api.getEmailSender();
    assert.match(broken.fault ?? "", /^email\.smtpUrl cannot be opened: .*Set it again\.$/);
    assert.equal(broken.mailServer, "own");
    const mended = await api.prepareEmailSender({ body: { smtpUrl: `smtp://127.0.0.1:${smtp.port}` } });
    assert.equal(mended.fault, null);
  });

  it("refuses what is none, all or nothing, and never repeats a secret", async () => {
    const project = await house.project();
    const [, api] = await personIn(project, "owner");
    const cases: [Parameters<typeof api.prepareEmailSender>[0]["body"], RegExp][] = [
      [{ from: "nobody" }, /^email\.from must be an address/],
      [{ from: "A <a@a.example>", smtpUrl: "http://user:hush@mail.example" }, /^email\.smtpUrl must be/],
      [{ provider: "carrier pigeon" }, /^email\.provider must be one of smtp, ses/],
      [{ postalAddress: "a\u0007b" }, /^email\.postalAddress must be/],
      [{ domainVerified: true }, /^email\.domainVerified must name a domain/],
      [{}, /^body must change at least one of from/],
    ];
    for (const [body, message] of cases) {
      const refused = await refusal(api.prepareEmailSender({ body }));
      assert.equal(refused.status, 400);
      assert.match(refused.error, message);
      assert.doesNotMatch(refused.error, /hush/);
    }
    assert.equal((await api.getEmailSender()).from, null, "nothing of it was kept");
    for (const ask of [api.checkEmailSender(), api.renewSenderKey()]) {
      const refused = await refusal(ask);
      assert.deepEqual([refused.status, refused.error.split(":")[0]], [400, "email.from is not set"]);
    }
    const test = await refusal(api.testEmailSender());
    assert.deepEqual(
      [test.status, test.body],
      [409, { error: "Set email.from: it says who the mail comes from.", reason: "channel_not_ready" }],
    );
  });

  it("may be sent from without DNS where an owner says so; two owners at once leave one key", async () => {
    const project = await house.project();
    const [, one] = await personIn(project, "owner");
    const [, other] = await personIn(project, "owner");
    const smtpUrl = `smtp://127.0.0.1:${smtp.port}`;
    await setSettings(house, project, { "email.smtpUrl": smtpUrl });
    // The server stays as the operator set it, so that owners may say it again.
    const both = await Promise.all(
      [one, other].map((api) => api.prepareEmailSender({ body: { from: "news@two.example", smtpUrl } })),
    );
    const keys = both.map(({ domain }) => domain?.records[0]?.value);
    assert.equal(new Set([...keys, (await one.getEmailSender()).domain?.records[0]?.value]).size, 1);
    const byHand = await one.prepareEmailSender({
      body: { domainVerified: true, postalAddress: "1 Street" },
    });
    assert.deepEqual([byHand.domain?.maySend, byHand.domain?.seenAt, byHand.missing], [true, null, []]);
    const back = await one.prepareEmailSender({ body: { domainVerified: false } });
    assert.deepEqual([back.domain?.maySend, back.missing], [false, ["domain"]]);
  });

  it("leads owners to no mail server of the server's own network; operators may name one", async () => {
    const project = await house.project();
    const [, owner] = await personIn(project, "owner");
    const [, operator] = await personIn(project, "owner", { isOperator: true });
    for (const host of ["127.0.0.1", "localhost", "10.0.0.5", "[::1]", "[::ffff:10.0.0.5]", "2130706433"]) {
      const refused = await refusal(owner.prepareEmailSender({ body: { smtpUrl: `smtp://${host}:25` } }));
      assert.deepEqual(
        [refused.status, refused.error],
        [403, "email.smtpUrl leads to this server or its network: an operator has to set it."],
        host,
      );
    }
    assert.equal((await owner.getEmailSender()).mailServer, "outbox");
    const body = { smtpUrl: `smtp://127.0.0.1:${smtp.port}` };
    assert.equal((await operator.prepareEmailSender({ body })).mailServer, "own");
    assert.equal((await owner.prepareEmailSender({ body })).mailServer, "own", "it stays as it was");
  });

  it("is marked by hand by operators, or for the mail server of the project, with which the mark goes", async () => {
    const project = await house.project();
    const [, owner] = await personIn(project, "owner");
    const [, operator] = await personIn(project, "owner", { isOperator: true });
    const marked = { domainVerified: true };
    await owner.prepareEmailSender({ body: { from: "news@hand.example" } });
    const refused = await refusal(owner.prepareEmailSender({ body: marked }));
    assert.deepEqual([refused.status, refused.error.split(" ")[0]], [403, "email.domainVerified"]);
    const maySend = async (sender: ReturnType<typeof owner.prepareEmailSender>) =>
      (await sender).domain?.maySend;
    const server = { smtpUrl: "smtp://[2d00::25]:2525" };
    assert.equal(await maySend(owner.prepareEmailSender({ body: { ...server, ...marked } })), true);
    assert.equal(await maySend(owner.prepareEmailSender({ body: { smtpUrl: null } })), false);
    assert.equal(await maySend(operator.prepareEmailSender({ body: marked })), true);
    assert.equal(await maySend(owner.prepareEmailSender({ body: { postalAddress: "1 Street" } })), true);
    await owner.prepareEmailSender({ body: server });
    assert.equal(await maySend(operator.prepareEmailSender({ body: { smtpUrl: null } })), true);
    assert.equal(await maySend(owner.prepareEmailSender({ body: { domainVerified: false } })), false);

    publish((await owner.getEmailSender()).domain?.records ?? []);
    assert.equal((await owner.checkEmailSender()).isVerified, true);
    await owner.prepareEmailSender({ body: server });
    assert.equal(await maySend(owner.prepareEmailSender({ body: { smtpUrl: null } })), true, "DNS showed it");
  });

  it("says what DNS said where it gives no answer", async () => {
    const project = await house.project();
    const [, api] = await personIn(project, "owner");
    await api.prepareEmailSender({ body: { from: "news@broken.example" } });
    dns.zone.set("broken.example", "broken");
    const { isVerified, records } = await api.checkEmailSender();
    assert.equal(isVerified, false);
    assert.equal(records[1]?.problem, "could not be asked for: ESERVFAIL");
  });
});

describe("the health of mail", () => {
  it("counts what became of it, what waits and for what, and says why nothing leaves", async () => {
    const project = await house.project();
    const [, api] = await personIn(project, "viewer");
    const none = await api.getEmailHealth();
    assert.deepEqual([none.totals.sent, none.queue.due, none.stops], [0, 0, []]);
    await setSettings(house, project, {
      "email.from": "news@health.example",
      "email.postalAddress": "1 Street",
      "email.domainVerified": "true",
      "email.smtpUrl": `smtp://127.0.0.1:${smtp.port}`,
      "email.capMax": "1",
    });
    smtp.behave({
      onRecipient: (to) =>
        to.startsWith("gone")
          ? { code: 550, text: "5.1.1 no such user" }
          : to.startsWith("later")
            ? { code: 450, text: "4.2.0 later" }
            : null,
      onMessage: ({ to }) => (to.startsWith("lost") ? "drop" : null),
    });
    await people(project, ["ada", "gone", "later", "lost"], "health-a.example");
    await launchEmail(project, { name: "First" });
    await house.drain();
    const first = await api.getEmailHealth();
    assert.deepEqual(
      [
        first.totals.sent,
        first.totals.bounced,
        first.totals.failed,
        first.queue.unknown,
        first.queue.retrying,
      ],
      [2, 1, 0, 1, 1],
    );
    await launchEmail(project, { name: "Second" });
    await house.drain();
    const second = await api.getEmailHealth();
    assert.equal(second.totals.frequencyCapped, 2, "who got one, and who may have got one");
    assert.equal(second.queue.retrying, 2);
    // What is counted is what each campaign counts for itself.
    const { campaigns } = await project.api.listCampaigns();
    const each = await Promise.all(campaigns.map(({ id }) => project.api.getCampaignEmail({ path: { id } })));
    const sum = (pick: (one: (typeof each)[number]) => number) =>
      each.reduce((all, one) => all + pick(one), 0);
    const { queue, totals } = second;
    assert.equal(
      queue.due +
        queue.paced +
        queue.postponed +
        queue.retrying +
        queue.unconfirmed +
        queue.notRunning +
        queue.ended,
      sum((one) => one.waiting),
    );
    assert.deepEqual(
      [totals.failed, totals.suppressed, queue.unknown],
      // A campaign counts mail that bounced at once among what failed.
      [sum((one) => one.failed) - totals.bounced, sum((one) => one.suppressed), sum((one) => one.unknown)],
    );

    smtp.behave({ onSender: () => ({ code: 550, text: "5.7.1 go away" }) });
    await setSettings(house, project, {
      "email.capMax": "0",
      "email.domainPerMinute": "1",
      "email.perMinute": "600",
    });
    await people(project, ["eve", "mel"], "health-b.example");
    house.advance(600_000);
    await house.drain();
    const stopped = await api.getEmailHealth();
    const [stop] = stopped.stops;
    assert.equal(stop?.kind, "campaign");
    assert.match(stop?.campaignName ?? "", /^(First|Second)$/);
    assert.match(stop?.message ?? "", /5\.7\.1 go away/);
    assert.deepEqual([stopped.pace.perMinute, stopped.pace.domainPerMinute], [600, 1]);
    assert.ok(stopped.queue.paced > 0, JSON.stringify(stopped.queue));
    for (const { id } of campaigns)
      await project.api.setCampaignStatus({ path: { id }, body: { action: "pause" } });
    const paused = await api.getEmailHealth();
    assert.deepEqual([paused.queue.due + paused.queue.paced + paused.queue.retrying, paused.stops], [0, []]);
    assert.ok(paused.queue.notRunning > 0);
    smtp.behave({});
  });
});

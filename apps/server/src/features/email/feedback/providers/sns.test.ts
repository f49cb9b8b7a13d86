import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { testHouse } from "../../../../../test/harness.ts";
import { fateOf, reportedBy, sentMail } from "../../../../../test/mail.ts";
import { fakeSes, fakeSns, type Posted } from "../../../../../test/provider-mail.ts";
import { newUuid } from "../../../../platform/uuid.ts";

const sns = await fakeSns();
after(() => sns.stop());
const house = testHouse({ snsCertOrigin: sns.origin });

async function post(path: string, { headers, body }: Posted) {
  const answer = await fetch(`${house.url}/hooks/email/${path}`, { method: "POST", headers, body });
  return { status: answer.status, body: (await answer.json()) as unknown };
}

async function message() {
  const provider = fakeSes(sns);
  const project = await house.project();
  await reportedBy(house, project, "ses", provider.secret);
  const mail = await sentMail(house, project);
  house.advance(60_000);
  return { provider, mail, path: `ses/${project.projectId}`, fate: () => fateOf(house, project, mail) };
}

describe("SNS", () => {
  const iso = (): string => new Date(house.now()).toISOString();
  const headers = { "content-type": "text/plain; charset=UTF-8" };
  const token = "2336412f37fb687f5d51e6e241d09c805a5a57b30d712f794cc5f6a988666d92";
  const confirmation = (url: string, more: Record<string, string> = {}) =>
    sns.sign({
      Type: "SubscriptionConfirmation",
      Message:
        "You have chosen to subscribe to the topic.\nTo confirm the subscription, visit the SubscribeURL.",
      Token: token,
      SubscribeURL: url,
      Timestamp: iso(),
      ...more,
    });
  const GOOD = `https://sns.eu-west-1.amazonaws.com/?Action=ConfirmSubscription&TopicArn=x&Token=${token}`;

  it("is told that the subscription is wanted, once the request is genuine", async () => {
    const { path } = await message();
    for (const version of ["1", "2"]) {
      sns.requested.length = 0;
      const body = JSON.stringify(confirmation(GOOD, { SignatureVersion: version }));
      assert.deepEqual(await post(path, { headers, body }), { status: 200, body: { ok: true } });
      assert.equal(sns.requested.filter((url) => url.startsWith("/?Action=ConfirmSubscription")).length, 1);
      sns.requested.length = 0;
      const forged = JSON.stringify({ ...JSON.parse(body), SubscribeURL: `${GOOD}1` });
      assert.equal((await post(path, { headers, body: forged })).status, 401);
      assert.deepEqual(sns.requested, []);
    }
  });

  it("is asked nowhere else", async () => {
    const { path } = await message();
    const hosts = [
      "http://sns.eu-west-1.amazonaws.com",
      "https://sns.eu-west-1.amazonaws.com.evil.example",
      "https://sns.evil.example",
      "https://evil.example/sns.eu-west-1.amazonaws.com",
      "https://sns.eu-west-1.amazonaws.com@evil.example",
      "https://sns.eu-west-1.amazonaws.com:8443",
      "https://s3.eu-west-1.amazonaws.com",
      "https://sns.x/y.amazonaws.com",
      "file:///etc",
      "",
    ];
    for (const host of hosts) {
      sns.requested.length = 0;
      const confirm = confirmation(`${host}/?Action=ConfirmSubscription`);
      assert.equal((await post(path, { headers, body: JSON.stringify(confirm) })).status, 401, host);
      const certificate = confirmation(GOOD, { SigningCertURL: `${host}/SimpleNotificationService-1.pem` });
      assert.equal((await post(path, { headers, body: JSON.stringify(certificate) })).status, 401, host);
      assert.deepEqual(sns.requested, [], host);
    }
    for (const name of ["/SimpleNotificationService-1.txt", "/other.pem"]) {
      const signed = confirmation(GOOD, { SigningCertURL: `https://sns.eu-west-1.amazonaws.com${name}` });
      assert.equal((await post(path, { headers, body: JSON.stringify(signed) })).status, 401, name);
    }
  });

  it("signs for everyone: another topic is not ours", async () => {
    const { path, provider, mail, fate } = await message();
    const Message = JSON.stringify(provider.event("permanent", mail, house.now()));
    const body = sns.sign({ Type: "Notification", Message, Timestamp: iso(), TopicArn: `${sns.topic}2` });
    assert.equal((await post(path, { headers, body: JSON.stringify(body) })).status, 401);
    assert.equal((await fate()).state, "sent");
  });

  it("may sign with a subject, in version 2, and tell of an identity's headers instead of tags", async () => {
    const { path, mail, fate } = await message();
    const Message = JSON.stringify({
      notificationType: "Bounce",
      bounce: { bounceType: "Permanent", timestamp: iso() },
      mail: { headers: [{ name: "X-Tidings-Delivery", value: mail.deliveryId }] },
    });
    const signed = sns.sign({
      Type: "Notification",
      Subject: "Amazon SES Email Event Notification é",
      SignatureVersion: "2",
      Timestamp: iso(),
      Message,
    });
    const changed = { ...signed, Subject: "another" };
    assert.equal((await post(path, { headers, body: JSON.stringify(changed) })).status, 401);
    const weaker = { ...signed, SignatureVersion: "1" };
    assert.equal((await post(path, { headers, body: JSON.stringify(weaker) })).status, 401);
    assert.equal((await fate()).state, "sent");
    assert.equal((await post(path, { headers, body: JSON.stringify(signed) })).status, 200);
    assert.equal((await fate()).state, "bounced");
  });

  it("is asked for its certificate once, and again after it did not answer", async () => {
    const { path, provider, mail } = await message();
    const fresh = `https://sns.us-east-1.amazonaws.com/SimpleNotificationService-${newUuid(house.now())}.pem`;
    const send = () => {
      const Message = JSON.stringify(provider.event("delivered", mail, house.now()));
      const body = sns.sign({ Type: "Notification", Message, Timestamp: iso(), SigningCertURL: fresh });
      return post(path, { headers, body: JSON.stringify(body) });
    };
    sns.requested.length = 0;
    for (const [fails, status] of [
      [503, 503],
      [404, 401],
    ] as const) {
      sns.fails = fails;
      assert.equal((await send()).status, status);
    }
    sns.fails = null;
    const answers = await Promise.all(Array.from({ length: 20 }, send));
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
    assert.equal(sns.requested.length, 3);
  });
});

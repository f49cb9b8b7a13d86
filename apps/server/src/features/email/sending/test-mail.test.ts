import assert from "node:assert/strict";
import { after, afterEach, describe, it } from "node:test";
import { sendingProject } from "../../../../test/email.ts";
import { refusal, type TestProject, testHouse } from "../../../../test/harness.ts";
import { type SmtpPeer, startSmtp } from "../../../../test/peers/smtp.ts";
import { defaultLimits } from "../../../platform/limits.ts";
import { HOUR_MS, MINUTE_MS } from "../../../platform/time/clock.ts";

const house = testHouse();
const peers: SmtpPeer[] = [];
after(() => Promise.all(peers.map((peer) => peer.close())));
afterEach(async () => assert.deepEqual(await house.differences(), {}));

type Answered = { status: number; text: string; replayed: boolean };

const IN_DOUBT = /under way, or was cut off before its answer was kept/;

/** A project with a mail server and a draft, and a way to have it sent as a test. */
async function stage(behaviour: Parameters<typeof startSmtp>[0] = {}, at = house) {
  const smtp = await startSmtp(behaviour);
  peers.push(smtp);
  const project = await sendingProject(at, smtp.port);
  const { campaign } = await project.api.createCampaign({
    body: { name: "Draft", channel: "email", message: { subject: "Hi", body: "Text" } },
  });
  async function send(
    key: string | null,
    address = "me@example.com",
    { url }: TestProject = project,
  ): Promise<Answered> {
    const response = await fetch(`${url}/api/v1/campaigns/${campaign.id}/email/test`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${project.secretKey}`,
        "content-type": "application/json",
        ...(key === null ? {} : { "idempotency-key": key }),
      },
      body: JSON.stringify({ address }),
    });
    const replayed = response.headers.get("idempotent-replayed") === "true";
    return { status: response.status, text: await response.text(), replayed };
  }
  return { smtp, project, campaign, send };
}

describe("a test mail under an Idempotency-Key", () => {
  it("leaves once, however often it is asked for", async () => {
    const { smtp, send } = await stage();
    const first = await send("key");
    assert.deepEqual([first.status, first.replayed], [200, false]);
    assert.deepEqual(await send("key"), { ...first, replayed: true });
    const other = await send("key", "other@example.com");
    assert.deepEqual(
      [other.status, JSON.parse(other.text)],
      [409, { error: "This Idempotency-Key was used for another request." }],
    );
    assert.equal(smtp.taken.length, 1);
    assert.equal((await send("another")).replayed, false);
    assert.equal(smtp.taken.length, 2);
  });

  it("leaves once where it is asked for again while it is on its way, through another process too", async () => {
    const arrived = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<null>();
    const { smtp, project, send } = await stage({
      onMessage: () => {
        arrived.resolve();
        return answered.promise;
      },
    });
    const first = send("key");
    await arrived.promise;
    for (const at of [project, await house.elsewhere(project)]) {
      const { status, text } = await send("key", undefined, at);
      assert.equal(status, 409);
      assert.match(text, IN_DOUBT);
    }
    assert.deepEqual(await house.differences(), {}, "a mail on its way is no fault");
    answered.resolve(null);
    const answer = await first;
    assert.deepEqual([answer.status, answer.replayed], [200, false]);
    assert.deepEqual(await send("key"), { ...answer, replayed: true });
    assert.equal(smtp.taken.length, 1);
  });

  it("leaves once of 20 that ask at the same moment", async () => {
    const { smtp, send } = await stage();
    const answers = await Promise.all(Array.from({ length: 20 }, () => send("key")));
    assert.ok(answers.every(({ status }) => status === 200 || status === 409));
    assert.equal(answers.filter(({ status, replayed }) => status === 200 && !replayed).length, 1);
    assert.equal(smtp.taken.length, 1);
  });

  it("may be asked for again where it was refused before or by the mail server", async () => {
    const { smtp, send } = await stage({ onRecipient: () => ({ code: 451, text: "4.7.1 Later" }) });
    assert.equal((await send("key", "nobody")).status, 400);
    assert.equal((await send("key")).status, 409);
    smtp.behave({});
    const { status, replayed } = await send("key");
    assert.deepEqual([status, replayed, smtp.taken.length], [200, false, 1]);
  });

  it("is not sent again where nobody knows whether the mail server took it", async () => {
    let handed = 0;
    const { send } = await stage({
      onMessage: () => {
        handed++;
        return "drop";
      },
    });
    const first = await send("key");
    assert.equal(first.status, 409);
    assert.equal((JSON.parse(first.text) as { reason: string }).reason, "unknown");
    assert.deepEqual(await send("key"), { ...first, replayed: true });
    assert.equal(handed, 1);
  });
});

describe("test mails of a project", () => {
  const LIMIT = 3;
  const limited = testHouse({ limits: { ...defaultLimits, testMailsPerHour: LIMIT } });

  it("are so many within any hour, over all processes, whether they are taken or not", async () => {
    const { smtp, project, campaign, send } = await stage({}, limited);
    const elsewhere = await limited.elsewhere(project);
    const statusOf = async (at = project): Promise<number> => (await send(null, undefined, at)).status;
    assert.equal(await statusOf(), 200);
    limited.advance(30 * MINUTE_MS);
    smtp.behave({ onRecipient: () => ({ code: 550, text: "5.1.1 No such user" }) });
    assert.equal(await statusOf(elsewhere), 409);
    smtp.behave({});
    assert.equal(await statusOf(), 200);
    const ask = () =>
      elsewhere.api.sendTestEmail({
        path: { id: campaign.id },
        body: { address: "me@example.com" },
        headers: { "idempotency-key": "key" },
      });
    const { status, error, headers } = await refusal(ask());
    assert.deepEqual(
      [status, error, headers.get("retry-after")],
      [429, "A project sends at most 3 test mails an hour (testMailsPerHour); try again later.", "1800"],
    );
    assert.equal((await (await stage({}, limited)).send(null)).status, 200, "another project has its own");
    limited.advance(30 * MINUTE_MS - 1);
    assert.equal((await refusal(ask())).headers.get("retry-after"), "1");
    limited.advance(1);
    await ask();
    assert.equal(await statusOf(), 429, "only the oldest is an hour old");
    limited.advance(HOUR_MS);
    const answers = await Promise.all(Array.from({ length: 2 * LIMIT }, () => statusOf()));
    assert.equal(answers.filter((each) => each === 200).length, LIMIT);
  });
});

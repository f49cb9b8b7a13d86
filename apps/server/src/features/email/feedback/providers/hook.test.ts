import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { after, describe, it } from "node:test";
import { type TestProject, testHouse } from "../../../../../test/harness.ts";
import { fateOf, reportedBy, sentMail, suppressionOf, type TestMail } from "../../../../../test/mail.ts";
import { type FakeProvider, fakeSns, type Posted, type Saying } from "../../../../../test/provider-mail.ts";
import { postReport, providerMakers, reportedMail } from "../../../../../test/reported-mail.ts";
import { DAY_MS, HOUR_MS } from "../../../../platform/time/clock.ts";
import { newUuid } from "../../../../platform/uuid.ts";
import { addressRef, allowAddress } from "../../addresses/public.ts";

const sns = await fakeSns();
after(() => sns.stop());
const house = testHouse({ snsCertOrigin: sns.origin });

const makers = providerMakers(sns);
const NAMES = Object.keys(makers) as FakeProvider["name"][];

const healthy = async (): Promise<void> => assert.deepEqual(await house.differences(), {});

const post = (path: string, posted: Posted) => postReport(house, path, posted);
const message = (name: FakeProvider["name"], options?: Parameters<typeof sentMail>[2]) =>
  reportedMail(house, makers, name, options);

/** What is reported, what becomes of the message, and why its address gets no more mail. */
const OUTCOMES: readonly [Saying, string | null, string | null][] = [
  ["delivered", "delivered", null],
  ["permanent", "bounced", "bounced"],
  ["suppressed", "bounced", "bounced"],
  ["complaint", "complained", "complained"],
  ["unsubscribe", "unsubscribed", "unsubscribed"],
  ["returned", "bounced", null],
  ["suppressedUnsubscribed", null, "unsubscribed"],
  ["suppressedComplained", null, "complained"],
  ["deferred", null, null],
  ["open", null, null],
  ["click", null, null],
];

for (const name of NAMES) {
  describe(`what ${name} reports`, () => {
    for (const [saying, event, stopped] of OUTCOMES) {
      const says = name !== "postmark" || !/^suppressed[A-Z]/.test(saying);
      it(`${saying} is ${event ?? "nothing"}, however often it is told`, async () => {
        const { say, fate, suppression, sentAt } = await message(name);
        const at = Math.floor(house.now() / 1_000) * 1_000 - 5_000;
        for (let i = 0; i < 3; i++) {
          assert.deepEqual(await say(saying, at + i), { status: 200, body: { ok: true } });
          house.advance(1_000);
        }
        const reported = event === null ? {} : { [event]: at };
        const counted = event === null ? {} : { [event]: 1 };
        assert.deepEqual(await fate(), {
          state: event ?? "sent",
          instants: { sent: sentAt, ...reported },
          counted: { sent: 1, ...counted },
        });
        assert.equal(await suppression(), says ? stopped : null);
        await healthy();
      });
    }

    it("is told at its own time, not in the future and not before the message left", async () => {
      for (const [ago, expected] of [
        [-HOUR_MS, 0],
        [0, 0],
        [10_000, 10_000],
        [HOUR_MS, 60_000],
      ] as const) {
        const { say, fate } = await message(name);
        await say("delivered", house.now() - ago);
        assert.equal((await fate()).instants.delivered, house.now() - expected);
      }
    });

    it("proves that an unknown message left", async () => {
      for (const saying of ["delivered", "permanent"] as const) {
        const { say, fate, mail, sentAt } = await message(name, { status: "unknown" });
        const at = house.now() - 5_000;
        await Promise.all([say(saying, at), say(saying, at)]);
        const { instants, counted } = await fate();
        assert.equal(instants.sent, sentAt);
        assert.equal(counted.sent, 1);
        const { rows } = await house.database.pool.query(
          `select s.status, o.kind, o.at, o.response from email_sends s join email_outcomes o using (lane, user_key, campaign_id)
          where s.user_key = $1 and s.campaign_id = $2 and o.kind <> 'unknown'`,
          [mail.userKey, mail.campaignId],
        );
        assert.deepEqual(rows, [
          { status: "accepted", kind: "accepted", at: house.now(), response: `reported by ${name}` },
        ]);
        await healthy();
      }
    });

    it("stops mail to an address that turns out to be gone, whatever came back before", async () => {
      const { say, suppression, fate } = await message(name);
      await say("returned");
      assert.equal(await suppression(), null);
      await say("permanent");
      assert.equal(await suppression(), "bounced");
      assert.equal((await fate()).counted.bounced, 1);
      await healthy();
    });

    it("is taken back by the reader where they had unsubscribed there, and holds for the next message", async () => {
      if (name === "postmark") return;
      const { say, suppression, mail, project } = await message(name);
      await say("suppressedUnsubscribed");
      assert.equal(await suppression(), "unsubscribed");
      assert.equal((await fetch(mail.link("resubscribe"), { method: "POST" })).status, 200);
      assert.equal(await suppression(), null);
      // The provider tells it again, because it had no answer.
      house.advance(1_000);
      await say("suppressedUnsubscribed");
      assert.equal(await suppression(), null);
      const next = await sentMail(house, project);
      await say("suppressedUnsubscribed", house.now(), { deliveryId: next.deliveryId });
      assert.equal(await suppression(), "unsubscribed");
      await healthy();
    });

    it("does not stop mail again that was allowed since", async () => {
      const { say, project, mail, suppression } = await message(name);
      await say("permanent");
      assert.equal(await suppression(), "bounced");
      const address = addressRef(project.projectId, mail.address);
      await allowAddress(house.database.kysely, project.projectId, address, { at: house.now() });
      await say("permanent");
      assert.equal(await suppression(), null);
      await say("complaint");
      assert.equal(await suppression(), "complained");
    });

    it("of a message that the project does not have is thanked for, and nothing", async () => {
      const { say, fate, project } = await message(name);
      const other = await house.project();
      const theirs = await sentMail(house, other);
      const before = await fate();
      const erased = await sentMail(house, project, { userId: "ben" });
      await project.api.eraseUser({ path: { id: "ben" } });
      for (const deliveryId of [
        theirs.deliveryId,
        erased.deliveryId,
        `del_${"A".repeat(43)}`,
        "del_x",
        "",
        "\0",
        "é".repeat(50),
      ])
        assert.equal((await say("permanent", house.now(), { deliveryId })).status, 200, deliveryId);
      assert.deepEqual([await fate(), (await fateOf(house, other, theirs)).state], [before, "sent"]);
      assert.equal(await suppressionOf(house, other, theirs.address), null);
      await healthy();
    });
  });

  describe(`who is not ${name}`, () => {
    /** Posts something that is not genuine: 401, and nothing changed. */
    async function refused(
      forge: (parts: { genuine: Posted; event: unknown; provider: FakeProvider }) => Posted | null,
      where: (path: string, project: TestProject) => string | Promise<string> = (path) => path,
      now = house.now(),
    ): Promise<void> {
      const { provider, project, mail, path, fate, suppression } = await message(name);
      const before = await fate();
      const event = provider.event("permanent", mail, house.now());
      const forged = forge({ genuine: provider.post([event], now), event, provider });
      if (forged === null) return;
      assert.deepEqual(await post(await where(path, project), forged), {
        status: 401,
        body: { error: "Unauthorized" },
      });
      assert.deepEqual([await fate(), await suppression()], [before, null]);
    }

    it("has another key", () =>
      refused(({ event }) => {
        if (name !== "ses") return makers[name]().post([event], house.now());
        const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
        const plain = {
          Type: "Notification",
          Message: JSON.stringify(event),
          Timestamp: new Date(house.now()).toISOString(),
        };
        return { headers: {}, body: JSON.stringify(sns.sign(plain, privateKey)) };
      }));

    it("says nothing to prove it", () =>
      refused(({ event }) => ({ headers: {}, body: JSON.stringify(event) })));

    it("sends no body", () => refused(() => ({ headers: { "content-type": "application/json" }, body: "" })));

    it("posts to another project", () =>
      refused(
        ({ genuine }) => genuine,
        async () => {
          const other = await house.project();
          await reportedBy(house, other, name, name === "ses" ? `${sns.topic}-2` : makers[name]().secret);
          return `${name}/${other.projectId}`;
        },
      ));

    it("posts to a project that has another provider, or none, or no secret", async () => {
      for (const provider of NAMES.filter((each) => each !== name))
        await refused(
          ({ genuine }) => genuine,
          (_, { projectId }) => `${provider}/${projectId}`,
        );
      await refused(
        ({ genuine }) => genuine,
        async () => `${name}/${(await house.project()).projectId}`,
      );
    });

    it("posts to no project", async () => {
      for (const projectId of [newUuid(house.now()), "x", "%00", "x".repeat(500), "prj_x"])
        await refused(
          ({ genuine }) => genuine,
          () => `${name}/${projectId}`,
        );
    });

    it("has an old signature, or one of the future", async () => {
      if (name === "postmark") return;
      for (const by of [-DAY_MS - 2 * HOUR_MS, HOUR_MS])
        await refused(({ genuine }) => genuine, undefined, house.now() + by);
    });

    it("changed one byte", async () => {
      const flip = (text: string, at: number): string => {
        const old = text[at] ?? "";
        const next = old === "A" ? "B" : "A";
        return (
          text.slice(0, at) + (/\d/.test(old) ? String((Number(old) + 1) % 10) : next) + text.slice(at + 1)
        );
      };
      const middle = (text: string): number => Math.floor(text.length / 2);
      const inField = (field: string) => (body: string) => {
        const start = body.indexOf(`"${field}":"`) + field.length + 4;
        return flip(body, start + 5);
      };
      if (name === "mailgun" || name === "ses") {
        const fields =
          name === "mailgun"
            ? ["timestamp", "token", "signature"]
            : ["Message", "MessageId", "TopicArn", "Timestamp", "Type", "Signature", "SigningCertURL"];
        for (const field of fields) {
          await refused(({ genuine }) => {
            const body = inField(field)(genuine.body);
            assert.notEqual(body, genuine.body);
            return { ...genuine, body };
          });
        }
        return;
      }
      for (const header of [
        "authorization",
        "x-twilio-email-event-webhook-timestamp",
        "x-twilio-email-event-webhook-signature",
      ])
        await refused(({ genuine }) => {
          const value = genuine.headers[header];
          if (value === undefined) return null;
          return { ...genuine, headers: { ...genuine.headers, [header]: flip(value, middle(value)) } };
        });
      if (name === "sendgrid")
        for (const change of [
          (body: string) => flip(body, middle(body)),
          (body: string) => body.trimEnd(),
          (body: string) => `${body} `,
          (body: string) => JSON.stringify(JSON.parse(body)),
        ])
          await refused(({ genuine }) => ({ ...genuine, body: change(genuine.body) }));
    });
  });
}

describe("bodies", () => {
  it("of a genuine sender that are no JSON are refused as that", async () => {
    const { path, provider } = await message("postmark");
    const { headers } = provider.post([{}], house.now());
    assert.equal((await post(path, { headers, body: "{" })).status, 400);
    for (const body of [
      "null",
      "[]",
      "1",
      '"x"',
      '[null, 1, {"event": 5}]',
      "[".repeat(50_000) + "]".repeat(50_000),
    ])
      assert.equal((await post(path, { headers, body })).status, 200, body.slice(0, 20));
  });

  it("may be a mebibyte, and no more", async () => {
    const { path, provider, mail, fate } = await message("sendgrid");
    const events = Array.from({ length: 4_000 }, (_, i) =>
      provider.event((["deferred", "delivered", "open"] as const)[i % 3] ?? "open", mail, house.now() - i),
    );
    const large = provider.post(events, house.now());
    assert.ok(large.body.length > 500_000 && large.body.length < 1_048_576, String(large.body.length));
    assert.equal((await post(path, large)).status, 200);
    assert.equal((await fate()).counted.delivered, 1);
    const padded = provider.post([...events, "x".repeat(1_048_576)], house.now());
    assert.equal((await post(path, padded)).status, 413);
    await healthy();
  });

  it("of SendGrid tell of many messages at once", async () => {
    const { path, provider, project, mail } = await message("sendgrid");
    const second = await sentMail(house, project, { userId: "ben", campaignId: mail.campaignId });
    const third = await sentMail(house, project, { userId: "carl", campaignId: mail.campaignId });
    const at = Math.floor(house.now() / 1_000) * 1_000;
    const events = [
      provider.event("delivered", mail, at),
      provider.event("complaint", mail, at),
      provider.event("permanent", second, at),
      provider.event("unsubscribe", third, at),
      provider.event("complaint", third, at),
    ];
    await Promise.all([1, 2, 3, 4].map(() => post(path, provider.post(events, house.now()))));
    assert.equal(await suppressionOf(house, project, mail.address), "complained");
    assert.equal(await suppressionOf(house, project, second.address), "bounced");
    assert.equal(await suppressionOf(house, project, third.address), "complained");
    assert.deepEqual((await fateOf(house, project, mail)).counted, {
      sent: 3,
      delivered: 1,
      bounced: 1,
      complained: 2,
      unsubscribed: 1,
    });
    await healthy();
  });
});

describe("a signature of mailgun", () => {
  it("is good for the one event that it came with, in every process", async () => {
    const { provider, project, mail, path, suppression } = await message("mailgun");
    const victim = await sentMail(house, project, { userId: "victim" });
    house.advance(60_000);
    const genuine = provider.post([provider.event("delivered", mail, house.now())], house.now());
    const forged = (saying: Saying, about: TestMail): Posted => {
      const body = JSON.parse(genuine.body) as object;
      return {
        ...genuine,
        body: JSON.stringify({ ...body, "event-data": provider.event(saying, about, house.now()) }),
      };
    };
    assert.equal((await post(path, genuine)).status, 200);
    const before = await fateOf(house, project, victim);
    const other = await house.elsewhere(project);
    for (const url of [house.url, other.url])
      for (const { headers, body } of [forged("complaint", victim), forged("permanent", mail)]) {
        const answer = await fetch(`${url}/hooks/email/${path}`, { method: "POST", headers, body });
        assert.equal(answer.status, 401);
      }
    assert.deepEqual(
      [
        await fateOf(house, project, victim),
        await suppression(),
        await suppressionOf(house, project, victim.address),
      ],
      [before, null, null],
    );
    // Without an answer, Mailgun posts the same event again.
    assert.equal((await post(path, genuine)).status, 200);
    house.advance(8 * HOUR_MS);
    assert.equal((await post(path, genuine)).status, 200);
    house.advance(HOUR_MS);
    assert.equal((await post(path, genuine)).status, 401);
    await healthy();
  });

  it("is forgotten when it holds no longer", async () => {
    const { say } = await message("mailgun");
    const kept = async (): Promise<number> =>
      (await house.database.pool.query("select from report_tokens")).rows.length;
    await house.database.pool.query("delete from report_tokens");
    await say("delivered");
    assert.equal(await kept(), 1);
    await house.drain();
    assert.equal(await kept(), 1);
    house.advance(DAY_MS);
    await house.drain();
    assert.equal(await kept(), 0);
  });
});

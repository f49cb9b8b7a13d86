import assert from "node:assert/strict";
import { after, it } from "node:test";
import fc from "fast-check";
import { testHouse } from "../../../../test/harness.ts";
import { fateOf, reportedBy, sentMail, suppressionOf } from "../../../../test/mail.ts";
import { fakeSns } from "../../../../test/provider-mail.ts";
import { providerMakers } from "../../../../test/reported-mail.ts";
import { rounds } from "../../../../test/rounds.ts";

const sns = await fakeSns();
after(() => sns.stop());
const house = testHouse({ snsCertOrigin: sns.origin });

const NAMES = [
  "eventType",
  "notificationType",
  "mail",
  "tags",
  "headers",
  "commonHeaders",
  "messageId",
  "bounce",
  "complaint",
  "bounceType",
  "bounceSubType",
  "bouncedRecipients",
  "emailAddress",
  "action",
  "status",
  "diagnosticCode",
  "RecordType",
  "Type",
  "Details",
  "Email",
  "Metadata",
  "Headers",
  "BouncedAt",
  "SuppressSending",
  "event",
  "type",
  "reason",
  "email",
  "smtp-id",
  "delivery",
  "unique_args",
  "timestamp",
  "severity",
  "recipient",
  "delivery-status",
  "code",
  "enhanced-code",
  "message",
  "message-id",
  "user-variables",
  "__proto__",
  "constructor",
];
const WORDS = [
  "Bounce",
  "Complaint",
  "Permanent",
  "Transient",
  "failed",
  "5.1.1",
  "550 5.1.1 user unknown",
  "HardBounce",
  "SpamComplaint",
  "bounce",
  "blocked",
  "dropped",
  "Bounced Address",
  "spamreport",
  "permanent",
  "complained",
  "nobody@example.com",
  "@",
  "\0",
  "<@>",
  `<${"A".repeat(65)}@acme.example>`,
  `del_${"A".repeat(43)}`,
  "é".repeat(300),
];
const leaf = fc.oneof(
  fc.constantFrom(...WORDS),
  fc.constantFrom(null, true, -1, 0, 605, 1e300, -1e300, 1.5, Number.MAX_SAFE_INTEGER),
  fc.string(),
);
const { value: junk } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    leaf,
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom(...NAMES), tie("value"), { maxKeys: 8 }),
  ),
}));

for (const [name, make] of Object.entries(providerMakers(sns)))
  it(`junk that is signed as ${name} signs is thanked for, and changes nothing`, async () => {
    const provider = make();
    const project = await house.project();
    await reportedBy(house, project, name, provider.secret);
    const mail = await sentMail(house, project);
    house.advance(60_000);
    const before = await fateOf(house, project, mail);
    // Whole events with junk in some of their fields, and junk alone.
    const whole = fc
      .constantFrom("permanent", "returned", "complaint", "suppressed", "suppressedUnsubscribed", "delivered")
      .map((saying) => provider.event(saying as "permanent", { address: "nobody@example.com" }, house.now()));
    const event = fc.oneof(
      junk,
      fc
        .tuple(whole, fc.dictionary(fc.constantFrom(...NAMES), junk, { maxKeys: 3 }))
        .map(([fields, more]) => ({
          ...(fields as object),
          ...more,
        })),
    );
    await fc.assert(
      fc.asyncProperty(event, async (sample) => {
        const { headers, body } = provider.post([sample], house.now());
        const url = `${house.url}/hooks/email/${name}/${project.projectId}`;
        const answer = await fetch(url, { method: "POST", headers, body });
        assert.equal(answer.status, 200, body);
        await answer.arrayBuffer();
      }),
      { numRuns: rounds(60, 1_000), seed: 7 },
    );
    assert.deepEqual(
      [await fateOf(house, project, mail), await suppressionOf(house, project, mail.address)],
      [before, null],
    );
    const { rows } = await house.database.pool.query("select from email_addresses where project_id = $1", [
      project.projectId,
    ]);
    assert.equal(rows.length, 1);
    assert.deepEqual(await house.differences(), {});
  });

it("junk in a returned mail of ours is never an error, and says nothing of its address", async () => {
  const project = await house.project();
  let count = 0;
  const field = fc.tuple(
    fc.constantFrom("Action", "Status", "Diagnostic-Code", "Final-Recipient", "Feedback-Type", "X"),
    fc.oneof(
      fc.constantFrom("failed", "delayed", "5.0.0", "smtp; 550", ": ::", "\t"),
      fc.string({ maxLength: 300 }),
    ),
  );
  const fields = fc
    .array(field, { maxLength: 12 })
    .map((all) => all.map(([key, value]) => `${key}: ${value}`).join("\r\n"));
  await fc.assert(
    fc.asyncProperty(fields, async (status) => {
      const mail = await sentMail(house, project, { userId: `u-${++count}` });
      const raw = `Content-Type: multipart/report; boundary=b\r\n\r\n--b\r\nContent-Type: message/delivery-status\r\n\r\n${status}\r\n--b\r\nContent-Type: message/rfc822\r\n\r\nMessage-ID: <${mail.messageToken}@acme.example>\r\n\r\nx\r\n--b--\r\n`;
      const answer = await fetch(`${house.url}/hooks/email/inbound`, { method: "POST", body: raw });
      assert.ok(answer.status === 200 || answer.status === 401, `${answer.status} ${raw}`);
      assert.equal(await suppressionOf(house, project, mail.address), null, raw);
    }),
    { numRuns: rounds(30, 300), seed: 7 },
  );
  assert.deepEqual(await house.differences(), {});
});

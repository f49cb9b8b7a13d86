import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  adviceOf,
  type CheckedSender,
  type EmailSender,
  recordFinding,
  senderSteps,
  shareOfSent,
  stillThere,
  type UnknownSend,
  waitingOf,
  withoutPixel,
} from "../src/features/email/rules.ts";

const domain = { name: "acme.example", maySend: false, seenAt: null, records: [] };
const sender = (given: Partial<EmailSender>): EmailSender => ({
  from: "news@acme.example",
  postalAddress: "1 Street",
  spfInclude: null,
  mailServer: "own",
  provider: "smtp",
  hasWebhookSecret: false,
  webhookUrl: null,
  publicUrl: "https://t.example",
  domain,
  missing: [],
  fault: null,
  ...given,
});

describe("the steps of the sender", () => {
  it("say what is done, what is to do, and what is not needed while mail is caught", () => {
    const cases: [Partial<EmailSender>, ReturnType<typeof senderSteps>][] = [
      [
        {
          from: null,
          postalAddress: null,
          mailServer: "outbox",
          domain: null,
          missing: ["from", "postalAddress"],
        },
        { sender: "todo", server: "unneeded", domain: "todo" },
      ],
      [{ mailServer: "outbox" }, { sender: "done", server: "unneeded", domain: "unneeded" }],
      [
        { mailServer: "none", missing: ["mailServer"] },
        { sender: "done", server: "todo", domain: "todo" },
      ],
      [{ missing: ["domain"] }, { sender: "done", server: "done", domain: "todo" }],
      [
        { missing: ["publicUrl"], domain: { ...domain, maySend: true } },
        { sender: "done", server: "todo", domain: "done" },
      ],
      [
        { mailServer: "shared", domain: { ...domain, maySend: true } },
        { sender: "done", server: "done", domain: "done" },
      ],
    ];
    for (const [given, steps] of cases)
      assert.deepEqual(senderSteps(sender(given)), steps, JSON.stringify(given));
  });

  it("show what a check found of the records that are wanted now, and of no others", () => {
    const record = { purpose: "dkim" as const, type: "TXT" as const, name: "a.acme.example", value: "p=new" };
    const found = { ...record, found: ["p=new"], problem: null };
    const checked: CheckedSender = {
      checkedAt: 1,
      domain: "acme.example",
      isVerified: true,
      records: [found],
    };
    assert.deepEqual(recordFinding(record, checked), found);
    assert.equal(recordFinding({ ...record, value: "p=newer" }, checked), null);
    assert.equal(recordFinding(record, undefined), null);
  });
});

describe("mail whose fate is unknown", () => {
  const send = (given: Partial<UnknownSend>): UnknownSend => ({
    deliveryId: "del_1",
    campaignId: "cmp_1",
    campaignName: "C",
    campaignStatus: "running",
    userId: "ada",
    address: "ada@acme.example",
    attemptedAt: 1,
    attempts: 1,
    reason: null,
    isSuppressed: false,
    resentBy: null,
    resentAt: null,
    canResend: true,
    ...given,
  });

  it("comes with the advice that weighs most", () => {
    assert.equal(adviceOf(send({})), "look");
    assert.equal(adviceOf(send({ resentBy: "Eve" })), "resent");
    assert.equal(adviceOf(send({ resentBy: "Eve", isSuppressed: true })), "suppressed");
    assert.equal(adviceOf(send({ canResend: false, isSuppressed: true })), "ended");
    assert.equal(adviceOf(send({ canResend: false, userId: null })), "erased");
  });

  it("stays chosen as long as it is there", () => {
    const sends = ["a", "b", "c"].map((deliveryId) => send({ deliveryId }));
    assert.deepEqual(stillThere(["c", "gone", "a"], sends), ["a", "c"]);
  });
});

describe("figures of mail", () => {
  it("are sums, and shares of what was sent", () => {
    const queue = {
      due: 1,
      paced: 2,
      postponed: 20,
      retrying: 3,
      unconfirmed: 4,
      notRunning: 5,
      ended: 10_000,
      sending: 100,
      unknown: 1_000,
    };
    assert.equal(waitingOf(queue), 35);
    assert.equal(shareOfSent(1, 4), 0.25);
    assert.equal(shareOfSent(0, 0), null);
  });
});

it("the picture that counts an opening is taken out of a mail that is looked at, and no other", () => {
  const pixel = '<img src="http://127.0.0.1:8080/e/abc/open.gif" width="1" height="1" alt="" style="x">';
  const other = '<img src="https://shop.example/opening.gif" alt="open.gif">';
  assert.equal(withoutPixel(`<p>Hi</p>${pixel}${other}`), `<p>Hi</p>${other}`);
});

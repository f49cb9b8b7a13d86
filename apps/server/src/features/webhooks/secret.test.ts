import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Webhook } from "standardwebhooks";
import { newWebhookSecret, signedHeaders } from "./secret.ts";

const message = (body: string, at = Date.now()) => ({
  id: "msg_00000000-0000-0001-8000-000000000000",
  at,
  body,
});
const BODY = JSON.stringify({ type: "test", data: { text: "ä 👋 \u2028", nothing: null } });

describe("the signature of a message, as the library of Standard Webhooks reads it", () => {
  it("is right by the secret that was shown", () => {
    const secret = newWebhookSecret();
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
    assert.deepEqual(
      new Webhook(secret).verify(BODY, signedHeaders([secret], message(BODY))),
      JSON.parse(BODY),
    );
  });

  it("is right by each of two secrets while both sign, and by no third one", () => {
    const [present, former, other] = [newWebhookSecret(), newWebhookSecret(), newWebhookSecret()];
    const headers = signedHeaders([present, former], message(BODY));
    for (const secret of [present, former]) new Webhook(secret).verify(BODY, headers);
    assert.throws(() => new Webhook(other).verify(BODY, headers), /No matching signature/);
    assert.throws(() => new Webhook(former).verify(BODY, signedHeaders([present], message(BODY))));
  });

  it("is wrong once the body, the id or the instant is another", () => {
    const secret = newWebhookSecret();
    const headers = signedHeaders([secret], message(BODY));
    const webhook = new Webhook(secret);
    assert.throws(() => webhook.verify(BODY.replace("test", "rest"), headers), /No matching signature/);
    assert.throws(() => webhook.verify(`${BODY} `, headers), /No matching signature/);
    assert.throws(() => webhook.verify(BODY, { ...headers, "webhook-id": "msg_1" }), /No matching signature/);
    const later = String(Number(headers["webhook-timestamp"]) + 1);
    assert.throws(() => webhook.verify(BODY, { ...headers, "webhook-timestamp": later }), /No matching/);
    const old = signedHeaders([secret], message(BODY, Date.now() - 3_600_000));
    assert.throws(() => webhook.verify(BODY, old), /too old/);
  });

  it("is of a secret that no other webhook has", () => {
    assert.equal(new Set(Array.from({ length: 100 }, newWebhookSecret)).size, 100);
  });
});

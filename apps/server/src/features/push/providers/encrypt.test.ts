import assert from "node:assert/strict";
import { createECDH } from "node:crypto";
import { describe, it } from "node:test";
import { decrypt } from "http_ece";
import { MAX_PAYLOAD_BYTES } from "../../content/push/payload.pure.ts";
import { encryptFor, encryptInTurn } from "./encrypt.ts";
import { applicationServerKeyOf, newVapidKey, vapidJwk } from "./vapid.ts";

/** RFC 8291, section 5 and appendix A. */
const VECTOR = {
  plain: "When I grow up, I want to be a watermelon",
  senderPrivate: "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw",
  senderPublic: "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8",
  browserPrivate: "q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94",
  p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
  auth: "BTBZMqHH6r4Tts7J_aSIgg",
  salt: "DGv6ra1nlYgDCS1FRnbzlw",
  body: "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN",
};

function keyOf(privateKey: string) {
  const key = createECDH("prime256v1");
  key.setPrivateKey(privateKey, "base64url");
  return key;
}

describe("encryptFor", () => {
  it("writes the bytes of RFC 8291", () => {
    const sender = keyOf(VECTOR.senderPrivate);
    const salt = Buffer.from(VECTOR.salt, "base64url");
    assert.equal(encryptFor(VECTOR, VECTOR.plain, { sender, salt }).toString("base64url"), VECTOR.body);
  });
  it("is read by the browser alone, and is another one each time", async () => {
    const once = encryptFor(VECTOR, "for one");
    const again = await encryptInTurn({ ...VECTOR, endpoint: "", applicationServerKey: null }, "for one");
    assert.notDeepEqual(once, again);
    const authSecret = Buffer.from(VECTOR.auth, "base64url");
    const privateKey = keyOf(VECTOR.browserPrivate);
    for (const body of [once, again])
      assert.equal(decrypt(body, { version: "aes128gcm", privateKey, authSecret }).toString(), "for one");
    const other = { version: "aes128gcm" as const, privateKey: keyOf(newVapidKey()), authSecret };
    assert.throws(() => decrypt(once, other));
  });
  it("makes 4,096 bytes of the largest payload", () => {
    assert.equal(encryptFor(VECTOR, "x".repeat(MAX_PAYLOAD_BYTES.web)).length, 4_096);
  });
  it("goes on after one that cannot be encrypted", async () => {
    const none = { p256dh: "", auth: "", endpoint: "", applicationServerKey: null };
    await assert.rejects(encryptInTurn(none, "x"));
    assert.ok((await encryptInTurn({ ...none, p256dh: VECTOR.p256dh, auth: VECTOR.auth }, "x")).length > 0);
  });
});

describe("a VAPID key", () => {
  it("has the public key that browsers subscribe with", () => {
    assert.equal(applicationServerKeyOf(VECTOR.senderPrivate), VECTOR.senderPublic);
    assert.equal(vapidJwk(VECTOR.senderPrivate)?.d, VECTOR.senderPrivate);
  });
  it("is always 32 bytes, also where it begins with zeros", () => {
    for (let made = 0; made < 600; made++) {
      const key = newVapidKey();
      assert.equal(Buffer.from(key, "base64url").length, 32);
      assert.equal(applicationServerKeyOf(key)?.length, 87);
    }
  });
  it("is none where it is no number of the curve", () => {
    for (const key of ["", "AAAA", "A".repeat(43), "_".repeat(43)])
      assert.equal(applicationServerKeyOf(key), null, key);
  });
});

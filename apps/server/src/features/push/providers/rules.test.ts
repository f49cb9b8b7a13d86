import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  apnsRefusal,
  fcmRefusal,
  fitsCollapseId,
  oauthRefusal,
  retryAfterMs,
  webPushRefusal,
} from "./rules.ts";

describe("APNs refuses", () => {
  for (const [status, reason, blame] of [
    [400, "BadCollapseId", "payload"],
    [400, "BadDeviceToken", "token_doubtful"],
    [400, "BadExpirationDate", "payload"],
    [400, "BadMessageId", "payload"],
    [400, "BadPriority", "payload"],
    [400, "BadTopic", "credential"],
    [400, "DeviceTokenNotForTopic", "token_foreign"],
    [400, "DuplicateHeaders", "payload"],
    [400, "IdleTimeout", "server"],
    [400, "InvalidPushType", "payload"],
    [400, "MissingDeviceToken", "credential"],
    [400, "MissingTopic", "credential"],
    [400, "PayloadEmpty", "payload"],
    [400, "TopicDisallowed", "credential"],
    [403, "BadCertificate", "credential"],
    [403, "BadCertificateEnvironment", "credential"],
    [403, "BadEnvironmentKeyIdInToken", "credential"],
    [403, "BadEnvironmentKeyInToken", "credential"],
    [403, "ExpiredProviderToken", "auth_expired"],
    [403, "Forbidden", "credential"],
    [403, "InvalidProviderToken", "credential"],
    [403, "MissingProviderToken", "credential"],
    [403, "UnrelatedKeyIdInToken", "credential"],
    [404, "BadPath", "credential"],
    [405, "MethodNotAllowed", "credential"],
    [410, "ExpiredToken", "token_invalid"],
    [410, "Unregistered", "token_invalid"],
    [413, "PayloadTooLarge", "payload"],
    [429, "TooManyProviderTokenUpdates", "credential"],
    [429, "TooManyRequests", "throttled"],
    [500, "InternalServerError", "server"],
    [503, "ServiceUnavailable", "server"],
    [503, "Shutdown", "server"],
    [400, "SomethingNew", "payload"],
    [403, "SomethingNew", "credential"],
    [410, "SomethingNew", "payload"],
    [429, "SomethingNew", "throttled"],
    [503, "SomethingNew", "server"],
    [400, "constructor", "payload"],
  ] as const) {
    it(`${status} ${reason}: ${blame}`, () => {
      assert.deepEqual(apnsRefusal(status, JSON.stringify({ reason })), { code: reason, class: blame });
    });
  }

  it("a token that is gone, and says since when", () => {
    const body = JSON.stringify({ reason: "Unregistered", timestamp: 1_700_000_000_000 });
    assert.deepEqual(apnsRefusal(410, body), {
      code: "Unregistered",
      class: "token_invalid",
      invalidSince: 1_700_000_000_000,
    });
  });

  for (const [status, body, code, blame] of [
    // No provider answers so: what does is at a wrong address, or in between.
    [410, "", "410", "credential"],
    [410, "{", "410", "credential"],
    [410, "[]", "410", "credential"],
    [410, '{"reason":5}', "410", "credential"],
    [400, '{"reason":""}', "400", "credential"],
    [400, '{"reason":"a\\nb"}', "400", "credential"],
    [404, "<html>", "404", "credential"],
    [405, "", "405", "credential"],
    [413, "<html>", "413", "payload"],
    [429, "", "429", "throttled"],
    [502, "<html>", "502", "server"],
    [301, "", "301", "credential"],
    [408, "", "408", "server"],
  ] as const) {
    it(`without a reason (${status} ${body}), and no token is given up for it`, () => {
      assert.deepEqual(apnsRefusal(status, body), { code, class: blame });
    });
  }
  it("with a reason of any length", () => {
    assert.equal(apnsRefusal(400, JSON.stringify({ reason: "x".repeat(5_000) })).code, "x".repeat(128));
  });
  it("with a timestamp that is none", () => {
    const body = JSON.stringify({ reason: "Unregistered", timestamp: "yesterday" });
    assert.deepEqual(apnsRefusal(410, body), { code: "Unregistered", class: "token_invalid" });
  });
});

const ofFcm = (errorCode: string) => ({
  "@type": "type.googleapis.com/google.firebase.fcm.v1.FcmError",
  errorCode,
});
const ofField = (field: string) => ({
  "@type": "type.googleapis.com/google.rpc.BadRequest",
  fieldViolations: [{ field, description: "Invalid value" }],
});
const NO_TOKEN = "The registration token is not a valid FCM registration token";

describe("FCM refuses", () => {
  for (const [name, status, error, code, blame] of [
    [
      "an app that is gone",
      404,
      { status: "NOT_FOUND", details: [ofFcm("UNREGISTERED")] },
      "UNREGISTERED",
      "token_invalid",
    ],
    [
      "a token of another sender",
      403,
      { status: "PERMISSION_DENIED", details: [ofFcm("SENDER_ID_MISMATCH")] },
      "SENDER_ID_MISMATCH",
      "token_foreign",
    ],
    [
      "what is no token",
      400,
      { status: "INVALID_ARGUMENT", message: NO_TOKEN, details: [ofFcm("INVALID_ARGUMENT")] },
      "INVALID_ARGUMENT",
      "token_doubtful",
    ],
    [
      "the field of the token",
      400,
      { status: "INVALID_ARGUMENT", details: [ofFcm("INVALID_ARGUMENT"), ofField("message.token")] },
      "INVALID_ARGUMENT",
      "token_doubtful",
    ],
    [
      "another field",
      400,
      { status: "INVALID_ARGUMENT", details: [ofField("message.data[0].value")] },
      "INVALID_ARGUMENT",
      "payload",
    ],
    [
      "another field, while it talks of tokens",
      400,
      {
        status: "INVALID_ARGUMENT",
        message: NO_TOKEN,
        details: [ofFcm("INVALID_ARGUMENT"), ofField("message.android.ttl")],
      },
      "INVALID_ARGUMENT",
      "payload",
    ],
    [
      "a message that is too large",
      400,
      { status: "INVALID_ARGUMENT", message: "Request contains an invalid argument." },
      "INVALID_ARGUMENT",
      "payload",
    ],
    ["an access that has ended", 401, { status: "UNAUTHENTICATED" }, "UNAUTHENTICATED", "auth_expired"],
    [
      "another provider's key",
      401,
      { status: "UNAUTHENTICATED", details: [ofFcm("THIRD_PARTY_AUTH_ERROR")] },
      "THIRD_PARTY_AUTH_ERROR",
      "credential",
    ],
    [
      "a service account without the right",
      403,
      { status: "PERMISSION_DENIED" },
      "PERMISSION_DENIED",
      "credential",
    ],
    ["a project or a token that is not found", 404, { status: "NOT_FOUND" }, "NOT_FOUND", "token_doubtful"],
    [
      "a project that is not found, by an answer of something else",
      404,
      { message: "Not Found" },
      "404",
      "credential",
    ],
    [
      "too much",
      429,
      { status: "RESOURCE_EXHAUSTED", details: [ofFcm("QUOTA_EXCEEDED")] },
      "QUOTA_EXCEEDED",
      "throttled",
    ],
    ["too much for Google", 429, { status: "RESOURCE_EXHAUSTED" }, "RESOURCE_EXHAUSTED", "throttled"],
    ["for now", 503, { status: "UNAVAILABLE", details: [ofFcm("UNAVAILABLE")] }, "UNAVAILABLE", "server"],
    ...(["ABORTED", "CANCELLED", "DEADLINE_EXCEEDED", "UNKNOWN"] as const).map(
      (status) => [`for now (${status})`, 500, { status }, status, "server"] as const,
    ),
    ...(["FAILED_PRECONDITION", "OUT_OF_RANGE"] as const).map(
      (status) => [`what was sent (${status})`, 400, { status }, status, "payload"] as const,
    ),
    ["by a fault of its own", 500, { status: "INTERNAL" }, "INTERNAL", "server"],
    ["with a word that is new", 418, { status: "TEAPOT" }, "TEAPOT", "payload"],
    ["with no word", 502, undefined, "502", "server"],
    ["without details that can be read", 404, { status: 5, details: "x" }, "404", "credential"],
    [
      "for a reason that it keeps to itself",
      500,
      { details: [ofFcm("UNSPECIFIED_ERROR")] },
      "UNSPECIFIED_ERROR",
      "server",
    ],
  ] as const) {
    it(`${name}: ${blame}`, () => {
      assert.deepEqual(fcmRefusal(status, JSON.stringify({ error })), { code, class: blame });
    });
  }
  it("as a page", () =>
    assert.deepEqual(fcmRefusal(502, "<!DOCTYPE html>"), { code: "502", class: "server" }));
});

describe("Google gives no access", () => {
  for (const [status, body, code, blame] of [
    [
      400,
      '{"error":"invalid_grant","error_description":"Invalid JWT Signature."}',
      "invalid_grant",
      "credential",
    ],
    [401, '{"error":"invalid_client"}', "invalid_client", "credential"],
    [403, "", "403", "credential"],
    [404, "", "404", "credential"],
    [429, '{"error":"rate"}', "rate", "throttled"],
    [500, '{"error":"internal_failure"}', "internal_failure", "server"],
    [503, "<html>", "503", "server"],
  ] as const) {
    it(`${status} ${code}: ${blame}`, () => {
      assert.deepEqual(oauthRefusal(status, body), { code, class: blame });
    });
  }
});

describe("when to come again", () => {
  const now = Date.UTC(2026, 0, 15, 12);
  for (const [header, expected] of [
    [undefined, null],
    ["", null],
    ["0", 0],
    [" 30 ", 30_000],
    ["1.5", null],
    ["-5", null],
    ["soon", null],
    ["2026", 2_026_000],
    ["2026-01-15", null],
    ["Thu, 15 Jan 2026 12:00:10 GMT", 10_000],
    ["Thu, 15 Jan 2026 11:00:00 GMT", 0],
    ["9999999999", null],
  ] as const) {
    it(`${String(header)}: ${String(expected)}`, () => assert.equal(retryAfterMs(header, now), expected));
  }
});

describe("a collapse id", () => {
  for (const [name, fits] of [
    ["slot-1", true],
    ["x".repeat(64), true],
    ["x".repeat(65), false],
    ["", false],
    ["two words", false],
    ["é", false],
    ["a\r\nb", false],
  ] as const) {
    it(`${fits ? "is" : "is made of"} ${JSON.stringify(name.slice(0, 20))}`, () =>
      assert.equal(fitsCollapseId(name), fits));
  }
});

describe("webPushRefusal", () => {
  const answer = (status: number, body = "", headers: Record<string, string> = {}) =>
    webPushRefusal({ status, headers, body: Buffer.from(body) });
  const cases: [string, ReturnType<typeof answer>, string, string][] = [
    ["Apple", answer(410, '{"reason":"Unregistered"}'), "Unregistered", "token_invalid"],
    [
      "Apple, of a contact that leads nowhere",
      answer(403, '{"reason":"BadJwtToken"}'),
      "BadJwtToken",
      "token_foreign",
    ],
    [
      "Apple, of another key",
      answer(400, '{"reason":"VapidPkHashMismatch"}'),
      "VapidPkHashMismatch",
      "token_foreign",
    ],
    ["Apple, of a topic", answer(400, '{"reason":"BadWebPushTopic"}'), "BadWebPushTopic", "payload"],
    [
      "Google, of another key",
      answer(400, "UnauthorizedRegistration\n"),
      "UnauthorizedRegistration",
      "token_foreign",
    ],
    [
      "Google",
      answer(410, "push subscription has unsubscribed or expired.\n"),
      "push subscription has unsubscribed or expired.",
      "token_invalid",
    ],
    ["Google's own page", answer(404, "<!DOCTYPE html><html>…"), "404", "token_invalid"],
    [
      "Mozilla",
      answer(404, '{"code":404,"errno":102,"error":"Not Found","message":"Invalid endpoint"}'),
      "Invalid endpoint",
      "token_invalid",
    ],
    [
      "Mozilla, of a size",
      answer(413, '{"code":413,"errno":104,"error":"Payload Too Large"}'),
      "Payload Too Large",
      "payload",
    ],
    ["Windows", answer(406, "", { "x-wns-error-description": "throttled" }), "throttled", "throttled"],
    ["too many", answer(429), "429", "throttled"],
    ["trouble of its own", answer(503, "try later"), "try later", "server"],
    ["a redirect", answer(301, "", { location: "https://example.com" }), "301", "server"],
    ["text in another script", answer(401, "überall"), "401", "token_foreign"],
    ["a long line", answer(500, "x".repeat(1_000)), "x".repeat(128), "server"],
  ];
  for (const [name, { code, class: blame }, word, whose] of cases)
    it(`blames ${whose} for ${name}`, () => {
      assert.deepEqual([code, blame], [word, whose]);
    });
});

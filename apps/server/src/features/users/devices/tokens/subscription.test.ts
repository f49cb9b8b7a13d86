import assert from "node:assert/strict";
import { createECDH } from "node:crypto";
import { describe, it } from "node:test";
import { install } from "../../../../../test/devices.ts";
import { refusal, sharedHouse } from "../../../../../test/harness.ts";

const house = sharedHouse();

const newPoint = (): string => createECDH("prime256v1").generateKeys("base64url");
const AUTH = "BTBZMqHH6r4Tts7J_aSIgg";
const P256DH = newPoint();
const ENDPOINT = "https://fcm.googleapis.com/fcm/send/abc:def";

const browserOf = async () => {
  const project = await house.project();
  return install(project, { platform: "web", appId: "shop.example" });
};
const text = (more: object = {}): string =>
  JSON.stringify({ endpoint: ENDPOINT, keys: { p256dh: P256DH, auth: AUTH }, ...more });

describe("the token of a browser", () => {
  it("is its subscription, however its app writes it", async () => {
    const device = await browserOf();
    const first = await device.put(text({ expirationTime: null }));
    assert.deepEqual([first.hasToken, first.tokenRevision], [true, 1]);
    const base64 = (value: string) => Buffer.from(value, "base64url").toString("base64");
    for (const same of [
      text(),
      JSON.stringify({ keys: { auth: AUTH, p256dh: P256DH }, endpoint: ENDPOINT, more: 1 }, null, 2),
      text({ keys: { p256dh: base64(P256DH), auth: base64(AUTH) } }),
      text({ endpoint: "https://FCM.googleapis.com:443/fcm/send/abc:def" }),
    ])
      assert.equal((await device.put(same)).tokenRevision, 1, same);
    const { tokenRevision } = await device.put(text({ applicationServerKey: newPoint() }));
    assert.equal(tokenRevision, 2);
    assert.equal((await device.put(null)).hasToken, false);
  });
  it("may be of the browsers in wide use", async () => {
    const device = await browserOf();
    for (const [index, endpoint] of [
      "https://updates.push.services.mozilla.com/wpush/v2/gAAA",
      "https://web.push.apple.com/QGu",
      "https://wns2-par02p.notify.windows.com/w/?token=BQYA%3d",
      ENDPOINT,
    ].entries())
      assert.equal((await device.put(text({ endpoint }))).tokenRevision, index + 1, endpoint);
  });
  it("is nothing else: the refusal names what is wrong, and nothing is changed", async () => {
    const device = await browserOf();
    const before = await device.put(text());
    const off = Buffer.from(P256DH, "base64url");
    off[40] = (off[40] ?? 0) ^ 1;
    const faulty: [string, string, RegExp][] = [
      ["no JSON", "740f4707bebcf74f", /^token must be the subscription of a browser as JSON/],
      ["a list", "[]", /as JSON/],
      ["a number", "1", /as JSON/],
      ["no keys", JSON.stringify({ endpoint: ENDPOINT }), /as JSON/],
      ["keys that are none", text({ keys: { p256dh: 1, auth: [] } }), /as JSON/],
      [
        "a point off the curve",
        text({ keys: { p256dh: off.toString("base64url"), auth: AUTH } }),
        /keys\.p256dh/,
      ],
      ["a compressed point", text({ keys: { p256dh: P256DH.slice(0, 44), auth: AUTH } }), /keys\.p256dh/],
      ["text as a point", text({ keys: { p256dh: "\u{1f600}", auth: AUTH } }), /keys\.p256dh/],
      ["a short secret", text({ keys: { p256dh: P256DH, auth: "AAAA" } }), /keys\.auth/],
      ["a key that is none", text({ applicationServerKey: "x" }), /applicationServerKey/],
      ...[
        "http://fcm.googleapis.com/x",
        "https://fcm.googleapis.com:8443/x",
        "https://fcm.googleapis.com@169.254.169.254/x",
        "https://user@fcm.googleapis.com/x",
        "https://169.254.169.254/latest",
        "https://localhost/x",
        "https://push.apple.com.evil.example/x",
        "https://push.apple.com/x",
        "file:///etc/passwd",
        "fcm.googleapis.com/x",
        "",
        `https://fcm.googleapis.com/${"x".repeat(2_048)}`,
        // Short as it is given, and long as it is written out.
        `https://fcm.googleapis.com/${"\u{1f600}".repeat(900)}`,
        `${ENDPOINT}#`,
        `${ENDPOINT}#part`,
      ].map((endpoint): [string, string, RegExp] => [endpoint, text({ endpoint }), /^token must /]),
    ];
    for (const [name, token, rule] of faulty) {
      const { status, error } = await refusal(device.put(token));
      assert.equal(status, 400, name);
      assert.match(error, rule, name);
    }
    assert.deepEqual(await device.read(), before);
  });
  it("is what any text is on a phone", async () => {
    const phone = await install(await house.project(), { platform: "android" });
    assert.equal((await phone.put("no subscription at all")).hasToken, true);
  });
  it("is told by its address: put with other keys, it is another one of the same browser", async () => {
    const project = await house.project();
    const [one, two] = [
      await install(project, { platform: "web" }),
      await install(project, { platform: "web" }),
    ];
    await one.put(text());
    const keyed = text({ applicationServerKey: newPoint() });
    assert.equal((await one.put(keyed)).tokenRevision, 2);
    assert.equal((await one.put(keyed)).tokenRevision, 2);
    assert.equal((await two.put(text({ keys: { p256dh: newPoint(), auth: AUTH } }))).hasToken, true);
    assert.equal((await one.read()).hasToken, false);
    assert.deepEqual(await house.differences(project.projectId), {});
  });
  it("has one owner: who subscribed last in a browser", async () => {
    const project = await house.project();
    const [one, two] = [
      await install(project, { platform: "web" }),
      await install(project, { platform: "web" }),
    ];
    await one.put(text());
    await two.put(text());
    assert.equal((await one.read()).hasToken, false);
  });
});

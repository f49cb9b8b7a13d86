import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ConfigError, loadConfig } from "./config.ts";

describe("the demo shop is served", () => {
  for (const [env, served] of [
    [{}, true],
    [{ HOST: "localhost" }, true],
    [{ HOST: "::1" }, true],
    [{ PUBLIC_URL: "http://localhost:8080" }, true],
    [{ HOST: "0.0.0.0" }, false],
    [{ PUBLIC_URL: "https://tidings.example.com" }, false],
    [{ HOST: "127.example.com" }, false],
    [{ HOST: "0.0.0.0", DEMO: "1" }, true],
    [{ DEMO: "0" }, false],
  ] as const) {
    it(`${served ? "with" : "never with"} ${JSON.stringify(env)}`, () => {
      assert.equal(loadConfig(env).demo, served);
    });
  }
});

describe("push services of browsers", () => {
  it("are those of the browsers in wide use, on the public net, unless others are named", () => {
    const usual = loadConfig({});
    assert.ok(usual.webpushHosts.includes("*.push.apple.com"));
    assert.equal(usual.webpushPrivate, false);
    const { webpushHosts, webpushPrivate } = loadConfig({
      WEBPUSH_HOSTS: " Push.example.com, 127.0.0.1:8443 ",
    });
    assert.deepEqual(webpushHosts, ["push.example.com", "127.0.0.1:8443"]);
    assert.equal(webpushPrivate, true);
  });
  it("are hosts, and nothing else", () => {
    for (const wrong of [
      "https://push.example.com",
      "*",
      "*.",
      "a b",
      ",",
      "push.example.com/",
      "x:123456",
      "a@b",
      "*.com",
      "a:0",
      "a:0443",
      "127.1",
      "a..b",
      "[::1",
      "0x7f.1",
    ])
      assert.throws(() => loadConfig({ WEBPUSH_HOSTS: wrong }), /WEBPUSH_HOSTS .*must be hosts/, wrong);
  });
});

describe("push providers are where", () => {
  it("they always are, unless something else is said", () => {
    const { apnsUrl, fcmUrl, googleTokenUrl } = loadConfig({});
    assert.deepEqual(
      [apnsUrl, fcmUrl, googleTokenUrl],
      [null, "https://fcm.googleapis.com", "https://oauth2.googleapis.com/token"],
    );
    assert.equal(loadConfig({ APNS_URL: "https://127.0.0.1:8443" }).apnsUrl, "https://127.0.0.1:8443");
  });
  for (const name of ["APNS_URL", "FCM_URL", "GOOGLE_TOKEN_URL"]) {
    it(`${name} says, and never in the clear`, () => {
      assert.throws(
        () => loadConfig({ [name]: "http://127.0.0.1:8443" }),
        (error: Error) =>
          error instanceof ConfigError &&
          error.message.endsWith("is not usable: must be an https:// address"),
      );
    });
  }
});

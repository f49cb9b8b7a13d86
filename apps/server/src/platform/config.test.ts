import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { loadConfig } from "./config.ts";

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

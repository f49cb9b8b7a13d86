import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { files, gateways, routes } from "../src/features.ts";
import { testHouse } from "./harness.ts";
import { png } from "./samples.ts";

const house = testHouse();
const overTls = testHouse({ publicUrl: "https://tidings.example.com" });

const PAGES = [
  "/openapi.json",
  "/docs",
  "/docs/start.js",
  "/docs/swagger-ui.css",
  "/healthz",
  "/readyz",
  "/metrics",
];
const filled = (path: string): string => path.replace(/\{(\w+)\}/g, "x");

const everything: [string, string][] = [
  ...PAGES.map((path): [string, string] => ["GET", path]),
  ...files.map(({ path }): [string, string] => ["GET", filled(path)]),
  ...routes.map(({ method, path }): [string, string] => [method, filled(path)]),
  ...gateways.map(({ path }): [string, string] => ["POST", path]),
  ["PUT", "/api/v1/goals"],
  ["OPTIONS", "/api/v1/track"],
  ["GET", "/api/v1/goals"],
  ["GET", "/nowhere"],
  ["GET", "/%zz"],
];

for (const [method, path] of everything) {
  it(`${method} ${path} says what a browser may do with it, and not what serves it`, async () => {
    const { headers, body } = await fetch(house.url + path, { method });
    await body?.cancel();
    assert.equal(headers.get("x-content-type-options"), "nosniff");
    assert.equal(headers.get("referrer-policy"), "no-referrer");
    assert.match(headers.get("cross-origin-resource-policy") ?? "", /^(same|cross)-origin$/);
    assert.match(headers.get("cache-control") ?? "", /^(no-store|public, max-age=\d+(, immutable)?)$/);
    for (const name of ["server", "x-powered-by", "strict-transport-security"])
      assert.equal(headers.get(name), null, name);
    if (/^text\/html/.test(headers.get("content-type") ?? ""))
      assert.match(
        headers.get("content-security-policy") ?? "",
        path === "/app/preview"
          ? /default-src 'none'.*frame-ancestors 'self'; sandbox allow-scripts$/
          : /default-src '(none|self)'.*frame-ancestors 'none'/,
      );
  });
  it(`${method} ${path} is asked for by HTTPS alone once PUBLIC_URL is https`, async () => {
    const { headers, body } = await fetch(overTls.url + path, { method });
    await body?.cancel();
    assert.equal(headers.get("strict-transport-security"), "max-age=31536000");
  });
}

describe("what pages of other origins load", () => {
  it("is the script and uploaded images, kept by browsers", async () => {
    const { api, url } = await house.project();
    const { media } = await api.uploadCampaignMedia({ file: png });
    for (const address of [`${url}/tidings.js`, media.url]) {
      const { status, headers, body } = await fetch(address, {
        headers: { origin: "https://shop.example.com" },
      });
      await body?.cancel();
      assert.equal(status, 200, address);
      assert.equal(headers.get("cross-origin-resource-policy"), "cross-origin");
      assert.equal(headers.get("access-control-allow-origin"), "*");
      assert.match(headers.get("cache-control") ?? "", /^public, max-age=/);
    }
  });
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { files, gateways, routes } from "../src/features.ts";
import { sharedHouse, testHouse } from "./harness.ts";
import { png } from "./samples.ts";

const house = sharedHouse();
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

/** Address of what draws messages, as the script has it. */
async function drawingOf(url: string): Promise<string> {
  const script = await (await fetch(`${url}/tidings.js`)).text();
  return `${url}/tidings/${/show-[0-9a-f]{16}\.js/.exec(script)?.[0]}`;
}

describe("what pages of other origins load", () => {
  it("is the script and uploaded images, kept by browsers", async () => {
    const { api, url } = await house.project();
    const { media } = await api.uploadCampaignMedia({ file: png });
    const drawing = await drawingOf(url);
    for (const address of [`${url}/tidings.js`, drawing, media.url]) {
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

  it("is kept for good under the name that the script has, and not at all under that of another version", async () => {
    const own = await drawingOf(house.url);
    const other = own.replace(/[0-9a-f]{16}/, "0".repeat(16));
    const [first, second] = await Promise.all([fetch(own), fetch(other)]);
    assert.equal(first.headers.get("cache-control"), "public, max-age=31536000, immutable");
    assert.equal(second.headers.get("cache-control"), "no-store");
    assert.equal(await first.text(), await second.text());
    assert.equal(first.headers.get("content-encoding"), "gzip");
    const tag = first.headers.get("etag") ?? "";
    const again = await fetch(own, { headers: { "if-none-match": tag } });
    assert.equal(again.status, 304);
    const head = await fetch(own, { method: "HEAD" });
    assert.deepEqual([head.status, head.headers.get("etag"), await head.text()], [200, tag, ""]);
  });

  it("is no file that is not there", async () => {
    for (const name of ["show.js", "tidings.js", `show-${"0".repeat(15)}.js`, "..%2findex.js", "%00"]) {
      const answer = await fetch(`${house.url}/tidings/${name}`);
      await answer.body?.cancel();
      assert.equal(answer.status, 404, name);
    }
  });
});

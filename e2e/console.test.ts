import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Page } from "playwright-core";
import { until } from "../apps/server/test/commands/spawned.ts";
import { allSent, tell } from "./seen.ts";
import { pageWith } from "./site.ts";
import { testStage } from "./stage.ts";

const { house, site, shop, page: newPage } = testStage();

/** What Tidings itself says on a page's console, from now on. */
function warningsOf(page: Page): string[] {
  const warnings: string[] = [];
  page.on("console", (message) => message.text().startsWith("tidings") && warnings.push(message.text()));
  return warnings;
}

const untilWarned = (warnings: readonly string[], wanted: RegExp): Promise<void> =>
  until(() => warnings.some((text) => wanted.test(text)), `the console says ${wanted}`);

const servePage = (attributes: string, ...calls: unknown[][]): void =>
  site.serve({
    "/": {
      html: pageWith(`<script>(window.tidings ??= []).push(...${JSON.stringify(calls)})</script>
<script async src="${house.url}/tidings.js" ${attributes}></script>`),
    },
  });

describe("the console of a page", () => {
  it("says when the key is unknown, in the words of the server, once", async (t) => {
    servePage(`data-key="pk_pub_${"a".repeat(32)}"`, ["identify", "ada"], ["track", "opened"]);
    const page = await newPage(t);
    const warnings = warningsOf(page);
    await page.goto(site.url);
    await untilWarned(warnings, /^tidings Unauthorized$/);
    await page.reload();
    await until(() => warnings.length >= 2, "the next page says it too");
    assert.equal(new Set(warnings).size, 1);
  });

  it("says when the key is missing, and when a call is misspelt", async (t) => {
    const { publishableKey } = await shop();
    servePage("", ["identify", "ada"]);
    const page = await newPage(t);
    const warnings = warningsOf(page);
    await page.goto(site.url);
    await untilWarned(warnings, /^tidings no key$/);
    servePage(`data-key="${publishableKey}"`, ["identfy", "ada"]);
    await page.goto(site.url);
    await untilWarned(warnings, /^tidings no identfy$/);
    servePage("", ["init", { key: publishableKey }], ["identify", "ada"]);
    warnings.length = 0;
    await page.goto(site.url);
    await allSent(page);
    assert.deepEqual(warnings, []);
  });

  it("says which rule was broken by what the page sent", async (t) => {
    await shop();
    const page = await newPage(t);
    const warnings = warningsOf(page);
    await page.goto(site.url);
    await allSent(page);
    assert.deepEqual(warnings, []);
    await tell(page, ["identify", "ada", { biography: "x".repeat(5_000) }]);
    await untilWarned(warnings, /^tidings \S*traits must be at most /);
  });
});

describe("what stays in the browser", () => {
  it("is no address of a page with its query or hash", async (t) => {
    const project = await shop();
    const page = await newPage(t);
    await page.goto(`${site.url}/?token=secret#access_token=secret`);
    await tell(page, ["track", "opened"]);
    await allSent(page);
    const { events } = await project.api.listUserEvents({ path: { id: "ada" } });
    assert.deepEqual(
      events.map(({ props }) => [props?.$current_url, props?.$pathname]),
      [[`${site.url}/`, "/"]],
    );
  });

  it("is nothing of a visitor who left that tells of them or proves who they are", async (t) => {
    await shop();
    const page = await newPage(t);
    await page.goto(site.url);
    await allSent(page);
    await page.route("**/api/v1/**", (route) => route.abort());
    const proof = { userHash: "f".repeat(64) };
    await tell(page, ["identify", "ada", { diagnosis: "private" }, proof], ["track", "left"]);
    const kept = (): Promise<string> => page.evaluate(() => JSON.stringify(Object.entries(localStorage)));
    assert.match(await kept(), /private/);
    await tell(page, ["reset"]);
    const left = await kept();
    assert.doesNotMatch(left, /private|ffffffff/);
    assert.match(left, /\\"event\\":\\"left\\"/, "what they did is still to be sent");
  });
});

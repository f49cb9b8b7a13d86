import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { before, describe, it } from "node:test";
import type { AxeResults } from "axe-core";
import type { Page } from "playwright-core";
import { until } from "../apps/server/test/commands/spawned.ts";
import { CAPABILITIES, install } from "../apps/server/test/devices.ts";
import { testHouse } from "../apps/server/test/harness.ts";
import { testStage } from "./stage.ts";

const { house, page: newPage } = testStage({ demo: true });
const AXE = createRequire(import.meta.url).resolve("axe-core");

declare const axe: { run(): Promise<AxeResults> };

const address = (): string => `${house.url}/demo/device`;
const allow = (page: Page) => page.getByRole("button", { name: "Allow notifications" });
const push = (page: Page) => page.getByRole("button", { name: "Morning Blend is back" });

/** Waits until the page's own table says so of the push. */
const counts = (page: Page, arrived: number, tapped: number, bought: number): Promise<void> =>
  page.getByRole("row", { name: `Back in stock ${arrived} ${tapped} ${bought}`, exact: true }).waitFor();

const isDone = async (page: Page, step: string): Promise<boolean> =>
  /done/.test((await page.getByRole("listitem").filter({ hasText: step }).getAttribute("class")) ?? "");

describe("the demo's phone", () => {
  before(() => house.tidings.startWorker());

  it("registers, gets the push, and reports receipt, tap and a sale that is the push's", async (t) => {
    const page = await newPage(t);
    const errors: string[] = [];
    page.on("pageerror", ({ message }) => errors.push(message));
    page.on("console", (line) => line.type() === "error" && errors.push(line.text()));
    await page.goto(address());
    await counts(page, 0, 0, 0);
    await allow(page).click();
    await push(page).waitFor();
    await counts(page, 1, 0, 0);
    await push(page).click();
    await counts(page, 1, 1, 0);
    await page.getByRole("button", { name: "Buy now" }).click();
    await counts(page, 1, 1, 1);
    for (const step of ["The phone registers", "The push arrives", "You tap it", "You buy"])
      assert.ok(await isDone(page, step), step);
    assert.equal(await push(page).count(), 0);

    await page.reload();
    await counts(page, 1, 1, 1);
    assert.equal(await push(page).count(), 0);
    await page.getByRole("button", { name: "Start again with a new phone" }).click();
    await allow(page).click();
    await page.getByRole("button", { name: "Not now" }).click();
    await counts(page, 2, 2, 1);
    assert.equal(await page.getByRole("button", { name: "Buy now" }).count(), 0);
    assert.deepEqual(errors, []);
    assert.deepEqual(await house.differences(), {});
  });

  it("tells later what it could not tell, and once", async (t) => {
    const page = await newPage(t);
    await page.goto(address());
    await allow(page).click();
    await push(page).waitFor();
    const reports = page.locator("#log");
    await reports.getByText("receipt").waitFor();
    let isAway = true;
    const lost = new Promise<void>((resolve) => {
      let isFirst = true;
      void page.route("**/observations", async (route) => {
        if (!isAway) return route.continue();
        // The server has the first; the phone never hears so, and says it once more.
        if (isFirst) {
          isFirst = false;
          await route.fetch();
        }
        await route.abort();
        resolve();
      });
    });
    await push(page).click();
    await page.waitForFunction(() => document.querySelector("#buy")?.checkVisibility());
    await lost;
    await page.reload();
    isAway = false;
    await reports.getByText("tap").waitFor();
    const { rows } = await house.database.pool.query(
      "select count(*)::int as taps from push_observations where kind = 'tap' and installation_id = $1",
      [
        await page.evaluate(() => {
          const name = Object.keys(localStorage).find((each) => each.endsWith("tidings.device"));
          return JSON.parse(localStorage.getItem(name ?? "") ?? "{}").id;
        }),
      ],
    );
    assert.deepEqual(rows, [{ taps: 1 }]);
  });

  it("is one campaign and one credential, however many come at once, and sends to no provider", async () => {
    await Promise.all(Array.from({ length: 8 }, () => fetch(address())));
    const { rows } = await house.database.pool.query<{ campaigns: number; credentials: number }>(`
      select (select count(*)::int from campaigns c where c.project_id = s.project_id and channel = 'push') as campaigns,
        (select count(*)::int from push_credentials c where c.project_id = s.project_id) as credentials
      from demo_shop s`);
    assert.deepEqual(rows, [{ campaigns: 1, credentials: 1 }]);
    const page = await (await fetch(address())).text();
    const [, publishableKey = ""] = /data-key="(.+?)"/.exec(page) ?? [];
    const { createClient } = await import("@tidings/client");
    const project = { ...(await house.project()), sdk: createClient(house.url, publishableKey) };
    const stranger = await install(project, { appId: "com.example.daybreak", environment: "development" });
    await stranger.bind("stranger");
    await stranger.say({ capabilities: { ...CAPABILITIES, actions: ["show", "later"] } });
    await stranger.put("0123456789abcdef");
    await until(async () => {
      // A look into an empty inbox makes the demo look for new phones.
      await fetch(`${address()}/inbox/demo-nobody`);
      return !(await stranger.read()).hasToken;
    }, "the stranger's token is found to be none of the demo");
  });

  it("has a strict policy, and an inbox that only its token opens", async () => {
    const answer = await fetch(address());
    const policy = answer.headers.get("content-security-policy") ?? "";
    assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self'/);
    assert.doesNotMatch(policy, /unsafe/);
    const inbox = (token: string) => fetch(`${address()}/inbox/${token}`);
    assert.deepEqual(await (await inbox("demo-unknown")).json(), { pushes: [] });
    for (const token of [
      "unknown",
      "demo-%00",
      `demo-${"a".repeat(200)}`,
      "demo-%F0%9F%92%A5",
      "%",
      "demo-%ff",
    ])
      assert.match(String((await inbox(token)).status), /^4/, token);
  });

  for (const colorScheme of ["light", "dark"] as const)
    it(`has nothing that axe-core finds and fits a phone, ${colorScheme}`, async (t) => {
      const viewport = { width: 390, height: 844 };
      const page = await newPage(t, { colorScheme, viewport, isMobile: true });
      const source = await readFile(AXE, "utf8");
      await page.goto(address());
      const looksRight = async (place: string): Promise<void> => {
        const shots = process.env.SHOTS;
        if (shots !== undefined)
          await page.screenshot({ path: `${shots}/${colorScheme}-${place}.png`, fullPage: true });
        await page.evaluate(source);
        const { violations } = await page.evaluate(() => axe.run());
        assert.deepEqual(
          violations.map(({ id, nodes }) => ({ place, id, targets: nodes.map(({ target }) => target) })),
          [],
        );
        const [scrolls, width] = await page.evaluate(() => {
          const { scrollWidth, clientWidth } = document.documentElement;
          return [scrollWidth, clientWidth];
        });
        assert.ok(
          scrolls !== undefined && scrolls <= 390 && width === 390,
          `${place}: ${scrolls} of ${width}`,
        );
      };
      await allow(page).waitFor();
      await looksRight("ask");
      await allow(page).click();
      await push(page).waitFor();
      await looksRight("push");
      await page.getByRole("button", { name: "Show me" }).click();
      await page.getByRole("button", { name: "Buy now" }).waitFor();
      await looksRight("app");
    });
});

describe("a server without the demo", () => {
  const closed = testHouse({ demo: false });

  it("has no phone", async () => {
    for (const path of ["/demo/device", "/demo/device/inbox/demo-x", "/demo/assets/phone.js"])
      assert.equal((await fetch(closed.url + path)).status, 404, path);
  });
});

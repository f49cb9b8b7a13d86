import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { launchCampaign } from "../apps/server/test/factories.ts";
import { allSent, step, tell } from "./seen.ts";
import { pageWith, snippet } from "./site.ts";
import { testStage } from "./stage.ts";
import { allArrived, arrived, counts, oneTo } from "./truth.ts";

const { house, site, shop, visitor, page: newPage } = testStage();

describe("storage that fails", () => {
  for (const [name, script] of [
    [
      "full",
      () => {
        Storage.prototype.setItem = () => {
          throw new DOMException("full", "QuotaExceededError");
        };
      },
    ],
    [
      "closed",
      () => {
        Object.defineProperty(window, "localStorage", {
          get() {
            throw new DOMException("closed", "SecurityError");
          },
        });
      },
    ],
  ] as const) {
    it(`works in memory when it is ${name}`, async (t) => {
      const project = await shop();
      const { id } = await launchCampaign(project);
      const page = await newPage(t);
      await page.addInitScript(script);
      await page.goto(site.url);
      await tell(page, ...oneTo(3).map(step));
      await page.getByRole("button", { name: "Close" }).click();
      await counts(project, id, "dismissed");
      assert.deepEqual(await allArrived(house, project, 3), oneTo(3));
    });
  }

  it("works in a frame without an origin of its own", async (t) => {
    const project = await house.project();
    const { id } = await launchCampaign(project);
    site.serve({
      "/": { html: '<iframe sandbox="allow-scripts" src="/frame" width="600" height="400"></iframe>' },
      "/frame": { html: pageWith(snippet(house.url, project.publishableKey, "ada")) },
    });
    const page = await newPage(t);
    await page.goto(site.url);
    const frame = page.frameLocator("iframe");
    await frame.getByText("Hello").waitFor();
    await frame.getByRole("button", { name: "Close" }).click();
    await counts(project, id, "dismissed");
  });

  it("skips entries that are not its own kind, and goes on", async (t) => {
    const project = await shop();
    const { id } = await launchCampaign(project);
    const page = await newPage(t);
    const prefix = `tidings:${project.publishableKey.slice(-12)}:`;
    await page.addInitScript((start) => {
      const junk = [
        "",
        "null",
        "5",
        '"text"',
        "[]",
        "{}",
        "{",
        '{"path":5}',
        '{"path":"/track"}',
        '{"body":{}}',
      ];
      if (localStorage.length > 0) return;
      for (const [index, text] of junk.entries())
        localStorage.setItem(`${start}${Date.now().toString(36)}junk${index}`, text);
      localStorage.setItem(start, "no time");
    }, prefix);
    await page.goto(site.url);
    await tell(page, step(1));
    await page.getByText("Hello").waitFor();
    await counts(project, id, "shown");
    assert.deepEqual(await allArrived(house, project, 1), [1]);
    await allSent(page);
  });

  it("gives up what is older than a week only after a hundred more tries, since the clock may be wrong", async (t) => {
    const project = await shop();
    const context = await visitor(t);
    const page = await context.newPage();
    const prefix = `tidings:${project.publishableKey.slice(-12)}:`;
    await context.route("**/api/v1/**", (route) => route.abort());
    await page.addInitScript((start) => {
      if (localStorage.length > 0) return;
      for (const [n, days, lateTries] of [
        [1, 8, 100],
        [2, 7.1, 0],
        [3, 6.9, 0],
        [4, -400, 0],
      ] as const) {
        const body = { userId: "ada", event: "step", props: { n }, eventId: `step-${n}` };
        const key = start + (Date.now() - days * 86_400_000).toString(36);
        localStorage.setItem(`${key}0000`, JSON.stringify({ path: "/track", body, lateTries }));
      }
    }, prefix);
    await page.goto(site.url);
    await page.waitForFunction(
      () => !Object.values(localStorage).some((entry) => entry.includes('"lateTries":100')),
    );
    await context.unroute("**/api/v1/**");
    await page.reload();
    await allSent(page);
    assert.deepEqual(await arrived(house, project), [2, 3, 4]);
  });
});

import assert from "node:assert/strict";
import { it } from "node:test";
import { until } from "../apps/server/test/commands/spawned.ts";
import { launchCampaign } from "../apps/server/test/factories.ts";
import { testHouse } from "../apps/server/test/harness.ts";
import { testBrowser } from "./browser.ts";
import { pageWith, snippet, testSite } from "./site.ts";

const house = testHouse();
const browser = testBrowser();
const site = testSite();

it("three lines in a page: a toast, a click, a sale, a number that moves", async () => {
  const project = await house.project();
  const { goal } = await project.api.createGoal({ body: { name: "Sales", targetEvent: "order_placed" } });
  const campaign = await launchCampaign(project, {
    goalId: goal.id,
    message: {
      presentation: "toast",
      title: "Free delivery today",
      cta: { label: "Have a look", url: "/offer" },
    },
  });
  site.serve({ "/": { html: pageWith(snippet(house.url, project.publishableKey, "ada")) } });

  const page = await browser().newPage();
  await page.goto(site.url);
  await page.getByText("Free delivery today").waitFor();
  await page.getByRole("link", { name: "Have a look" }).click();
  await page.waitForURL("**/offer");
  await page.evaluate(() =>
    (window as unknown as { tidings: unknown[] }).tidings.push(["track", "order_placed"]),
  );

  const stats = async () => (await project.api.getCampaign({ path: { id: campaign.id } })).campaign.stats;
  await until(async () => (await stats()).converted === 1, "the sale is counted");
  const { shown, clicked, dismissed, converted } = await stats();
  assert.deepEqual(
    { shown, clicked, dismissed, converted },
    { shown: 1, clicked: 1, dismissed: 0, converted: 1 },
  );
  const { totals } = await project.api.getCampaignConversions({
    path: { id: campaign.id },
    query: { event: "order_placed" },
  });
  assert.deepEqual(totals, {
    exposedDeliveries: 1,
    exposedUsers: 1,
    convertedDeliveries: 1,
    convertedUsers: 1,
  });
  assert.deepEqual(await house.differences(), {});
});

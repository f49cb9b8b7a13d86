import assert from "node:assert/strict";
import { it } from "node:test";
import { openShop } from "../apps/server/src/features/demo/open-shop.ts";
import { defaultLimits } from "../apps/server/src/platform/limits.ts";
import { testHouse } from "../apps/server/test/harness.ts";
import { giveRole, makePerson } from "../apps/server/test/people.ts";
import { assertFaultlessEverywhere, cameIn, complaintsOf, dashboardUrl, pageOf, title } from "./dashboard.ts";
import { testStage } from "./stage.ts";

const { house, page: newPage } = testStage({ limits: { ...defaultLimits, demoCustomers: 150 } });
/** A server whose demo was opened, and has no month yet. */
const opened = testHouse();

it("an owner fills the empty demo with a month by the keyboard, and finds its campaigns", async (t) => {
  const page = await newPage(t);
  const complaints = complaintsOf(page);
  const project = await house.project();
  house.at(Date.now());
  const owner = await makePerson(house, { role: "owner" });
  await cameIn(page.context(), house, owner);
  await page.goto(pageOf(house, project, "overview"));
  const fill = page.getByRole("button", { name: "Fill with a month of the shop" });
  await fill.waitFor();
  await assertFaultlessEverywhere(page, "overview of a new project");
  await fill.focus();
  await page.keyboard.press("Enter");
  await page.getByText("Playing 30 days").waitFor();
  await title(page, "Demo shop");
  // Late in a month, as many users were active in it as there are.
  await page.getByText("Users", { exact: true }).locator("..").getByText("150", { exact: true }).waitFor();
  assert.equal(await fill.count(), 0);
  await page.getByRole("link", { name: "Campaigns", exact: true }).click();
  for (const state of ["Draft", "Scheduled", "Running", "Paused", "Ended"])
    await page.getByRole("row", { name: state }).first().waitFor();
  await page.getByRole("link", { name: "Breakfast box" }).click();
  await title(page, "Breakfast box");
  await page.goto(pageOf(house, project, "overview"));
  await title(page, "Test");
  await page.getByText("Nothing waits").waitFor();
  assert.equal(await fill.count(), 0, "there is one demo");
  assert.deepEqual(complaints, []);
});

it("a viewer of the empty demo sees which role it takes to fill it", async (t) => {
  const page = await newPage(t);
  const { projectId } = await openShop(opened.tidings.app);
  const person = await makePerson(opened);
  await giveRole(opened, projectId, person, "viewer");
  await cameIn(page.context(), opened, person);
  await page.goto(`${dashboardUrl(opened)}/app/p/${projectId}/overview`);
  await title(page, "Demo shop");
  const fill = page.getByRole("button", { name: "Fill with a month of the shop" });
  await fill.waitFor();
  await assertFaultlessEverywhere(page, "overview of the empty demo");
  assert.equal(await fill.getAttribute("aria-disabled"), "true");
});

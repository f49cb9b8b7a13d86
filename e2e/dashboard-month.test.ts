import assert from "node:assert/strict";
import { it } from "node:test";
import type { Page } from "playwright-core";
import { openShop } from "../apps/server/src/features/demo/open-shop.ts";
import type { PersonRole } from "../apps/server/src/platform/http/person.ts";
import { defaultLimits } from "../apps/server/src/platform/limits.ts";
import { giveRole, makePerson } from "../apps/server/test/people.ts";
import { assertFaultlessEverywhere, at, complaints, signIn, title } from "./dashboard.ts";
import { testStage } from "./stage.ts";

const { house, page: newPage } = testStage({ limits: { ...defaultLimits, demoCustomers: 150 } });

/** The overview of the demo's project, opened by a person with a role in it; answers where its pages are. */
async function overviewOf(page: Page, role: PersonRole): Promise<string> {
  house.at(Date.now());
  const { projectId } = await openShop(house.tidings.app);
  const person = await makePerson(house);
  await giveRole(house, projectId, person, role);
  await signIn(house, page, person);
  const pages = `${at(house)}/app/p/${projectId}`;
  await page.goto(`${pages}/overview`);
  await title(page, "Demo shop");
  return pages;
}

it("a viewer sees which role it takes to fill the demo", async (t) => {
  const page = await newPage(t);
  await overviewOf(page, "viewer");
  const fill = page.getByRole("button", { name: "Fill with a month of the shop" });
  await fill.waitFor();
  assert.equal(await fill.getAttribute("aria-disabled"), "true");
});

it("an owner fills the empty demo with a month by the keyboard, and finds its campaigns", async (t) => {
  const page = await newPage(t);
  const heard = complaints(page);
  const pages = await overviewOf(page, "owner");
  const fill = page.getByRole("button", { name: "Fill with a month of the shop" });
  await fill.waitFor();
  await assertFaultlessEverywhere(page, "overview of the empty demo");
  await fill.focus();
  await page.keyboard.press("Enter");
  await page.getByText("Playing 30 days").waitFor();
  await fill.waitFor({ state: "detached" });
  await page.getByText("150", { exact: true }).waitFor();
  await page.goto(`${pages}/campaigns`);
  for (const state of ["Draft", "Scheduled", "Running", "Paused", "Ended"])
    await page.getByRole("row", { name: state }).first().waitFor();
  await page.getByRole("link", { name: "Breakfast box" }).click();
  await title(page, "Breakfast box");
  assert.deepEqual(heard, []);
});

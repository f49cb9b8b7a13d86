import assert from "node:assert/strict";
import type { BrowserContext, BrowserContextOptions, Locator, Page } from "playwright-core";
import type { PersonRole } from "../apps/server/src/platform/http/contract/person.ts";
import type { TestHouse, TestProject } from "../apps/server/test/harness.ts";
import { giveRole, makePerson, PASSWORD, type TestPerson } from "../apps/server/test/people.ts";
import { accessibilityFaults } from "./axe.ts";

/** The address by which people open the dashboard: browsers bind passkeys to names. */
export const dashboardUrl = (server: { url: string }): string => server.url.replace("127.0.0.1", "localhost");

/** What a page complains about: errors, warnings, what its policy forbids. */
export function complaintsOf(page: Page): string[] {
  const complaints: string[] = [];
  page.on("pageerror", ({ message }) => complaints.push(message));
  page.on("console", (message) => {
    // A refusal that the page shows is no fault of the page.
    const isRefusal = /the server responded with a status of 4\d\d/.test(message.text());
    if (["error", "warning"].includes(message.type()) && !isRefusal) complaints.push(message.text());
  });
  return complaints;
}

/** Signs a person in by the page. */
export async function signIn(
  house: { url: string },
  page: Page,
  { email }: TestPerson,
  password = PASSWORD,
): Promise<void> {
  await page.goto(`${dashboardUrl(house)}/app/sign-in`);
  await page.getByLabel("Email").fill(email);
  await page.locator("input[name=password]").fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("button", { name: "Sign out", exact: true }).waitFor();
}

/** Lets a person in by the cookie that they have: their next page is there without a sign-in. */
export async function cameIn(
  context: BrowserContext,
  house: TestHouse,
  { cookie }: TestPerson,
): Promise<void> {
  const split = cookie.indexOf("=");
  await context.addCookies([
    { name: cookie.slice(0, split), value: cookie.slice(split + 1), url: dashboardUrl(house) },
  ]);
}

/** A project, and a person with a role in it whose browser it is. */
export async function openedBy(
  house: TestHouse,
  page: Page,
  role: PersonRole,
  { isOperator = false } = {},
): Promise<[TestProject, TestPerson]> {
  const project = await house.project();
  const person = await makePerson(house, { isOperator });
  await giveRole(house, project.projectId, person, role);
  await cameIn(page.context(), house, person);
  return [project, person];
}

/** The address of a page about a project. */
export const pageOf = (house: { url: string }, { projectId }: TestProject, path: string): string =>
  `${dashboardUrl(house)}/app/p/${projectId}/${path}`;

/** Waits for the page with a title. */
export const title = (page: Page, name: string): Promise<void> =>
  page.getByRole("heading", { name, level: 1, exact: true }).waitFor();

/** A message among others on a page, by the name of its variant. */
export const messageOf = (page: Page, name: string): Locator =>
  page.getByRole("article", { name, exact: true });

/** Waits until a message is drawn as its reader sees it. */
export async function reads(page: Page, name: string, text: string): Promise<void> {
  const frame = messageOf(page, name).locator("iframe");
  // Browsers draw nothing in a frame that is out of sight, as it is on a phone until a person scrolls to it.
  await frame.scrollIntoViewIfNeeded();
  await frame.contentFrame().getByText(text, { exact: true }).first().waitFor();
}

/** Waits until the keys of the keyboard reach an element. A dialog that opens gives the focus away a moment after it is seen. */
export const hasFocus = (element: Locator): Promise<void> =>
  element.and(element.page().locator(":focus")).waitFor();

const MOST_KEYS = 20;
/** How long a person watches a list that should have closed before they press the key again. */
const WATCHED_MS = 3_000;

/**
 * Takes an option of an open list by keys, as a person who watches it does: sees the mark move before the next key, until it is on the
 * option, and presses Enter again where a list that was just being drawn has missed it.
 */
export async function takeByKeys(page: Page, option: string): Promise<void> {
  const found = page.getByRole("option", { name: option, exact: true });
  await found.waitFor();
  const mark = page.locator("[role=option][data-combobox-selected]").filter({ visible: true });
  for (let pressed = 0; pressed < MOST_KEYS && !(await found.and(mark).isVisible()); pressed++) {
    const id = (await mark.count()) === 0 ? null : await mark.first().getAttribute("id");
    await page.keyboard.press("ArrowDown");
    await (id === null ? mark : mark.and(page.locator(`:not([id="${id}"])`))).first().waitFor();
  }
  for (let pressed = 1; pressed < MOST_KEYS; pressed++) {
    await page.keyboard.press("Enter");
    const isTaken = found.waitFor({ state: "hidden", timeout: WATCHED_MS });
    if (await isTaken.then(() => true).catch(() => false)) return;
  }
  await found.waitFor({ state: "hidden" });
}

/** A browser that is pressed by fingers. */
export const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

/** How a person works the dashboard: what they press is pressed by the keyboard, or by a finger. */
export const HANDS: readonly {
  on: string;
  use: BrowserContextOptions;
  press: (target: Locator) => Promise<void>;
}[] = [
  {
    on: "with keys",
    use: {},
    press: async (target) => {
      // A key goes to what has the focus, which a closed button does not take.
      await target.and(target.page().locator(":enabled, a, [role=button]")).waitFor();
      await target.press("Enter");
    },
  },
  {
    on: "on a phone",
    use: PHONE,
    press: (target) => target.tap(),
  },
];

/** The widths and colours in which every page is looked at. */
const LOOKS: readonly [string, BrowserContextOptions][] = [
  ["on a desktop in the light", { viewport: { width: 1280, height: 800 }, colorScheme: "light" }],
  ["on a desktop in the dark", { viewport: { width: 1280, height: 800 }, colorScheme: "dark" }],
  ["on a phone in the light", { viewport: { width: 390, height: 844 }, colorScheme: "light" }],
  ["on a phone in the dark", { viewport: { width: 390, height: 844 }, colorScheme: "dark" }],
];

/** Waits until nothing fades or moves any more, but for what never ends: colours on their way have a contrast of their own. */
const still = (page: Page): Promise<void> =>
  page.evaluate(async () => {
    const ends = (animation: Animation) =>
      animation.playState === "running" &&
      animation.effect?.getTiming().iterations !== Number.POSITIVE_INFINITY;
    for (let moving = document.getAnimations().filter(ends); moving.length > 0; ) {
      await Promise.allSettled(moving.map(({ finished }) => finished));
      moving = document.getAnimations().filter(ends);
    }
  });

const FITS_WITHIN_MS = 5_000;

/** What lies beyond the window, where the page stays wider than that: charts are drawn anew only after the window has its new width. */
async function beyondWindow(page: Page): Promise<string[]> {
  const fits = () => document.documentElement.scrollWidth <= document.documentElement.clientWidth;
  await page.waitForFunction(fits, undefined, { timeout: FITS_WITHIN_MS }).catch(() => undefined);
  return page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    if (scrollWidth <= clientWidth) return [];
    const beyond = [...document.querySelectorAll("body *")].filter(
      (element) => element.getBoundingClientRect().right > clientWidth,
    );
    return [`${scrollWidth} px in ${clientWidth}`, ...beyond.map(({ outerHTML }) => outerHTML.slice(0, 200))];
  });
}

/** Fails where a page is wider than a window of 320 px, which is what a desktop shows at 400 %. */
export async function assertReflows(page: Page, what: string): Promise<void> {
  await page.setViewportSize({ width: 320, height: 640 });
  await still(page);
  assert.deepEqual(await beyondWindow(page), [], `${what} at 320 px`);
}

/** Fails where a page is wider than a tablet, whose navigation leaves it little room, or cuts the word of a badge there. */
export async function assertFitsTablet(page: Page, what: string): Promise<void> {
  await page.setViewportSize({ width: 820, height: 1180 });
  await still(page);
  assert.deepEqual(await beyondWindow(page), [], `${what} at 820 px`);
  const cut = await page
    .locator(".mantine-Badge-label")
    .evaluateAll((labels) =>
      labels.filter((label) => label.scrollWidth > label.clientWidth).map(({ textContent }) => textContent),
    );
  assert.deepEqual(cut, [], `badges of ${what} at 820 px`);
}

/** A page without faults for assistive technology, and no wider than the window. */
export async function assertFaultless(page: Page, what: string): Promise<void> {
  await still(page);
  assert.deepEqual(await accessibilityFaults(page), [], what);
  assert.deepEqual(await beyondWindow(page), [], what);
}

const SHOTS = process.env.SHOTS;

/**
 * A page that reflows, fits a tablet, and is faultless in every width and colour, changed while it is open: to load it anew for each takes longer, and
 * shows nothing more. It ends on a desktop in the light. SHOTS names a folder for a picture of each.
 */
export async function assertFaultlessEverywhere(page: Page, what: string): Promise<void> {
  await assertReflows(page, what);
  await assertFitsTablet(page, what);
  for (const [look, { viewport, colorScheme }] of LOOKS.toReversed()) {
    await page.emulateMedia({ colorScheme: colorScheme ?? null, reducedMotion: "reduce" });
    if (viewport) await page.setViewportSize(viewport);
    await page.locator(`html[data-mantine-color-scheme="${colorScheme}"]`).waitFor();
    await still(page);
    if (SHOTS !== undefined)
      await page.screenshot({
        path: `${SHOTS}/${`${what} ${look}`.replaceAll(/\W+/g, "-").slice(-100)}.png`,
        fullPage: true,
      });
    await assertFaultless(page, `${what} ${look}`);
  }
}

/** Opens a page, waits for a text of it, and looks at it in every width and colour. */
export async function assertPageFaultless(page: Page, address: string, ready: string): Promise<void> {
  await page.goto(address);
  await page.getByText(ready).first().waitFor();
  await assertFaultlessEverywhere(page, new URL(address).pathname + new URL(address).search);
}

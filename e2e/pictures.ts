/**
 * `npm run pictures [folder]`: takes the pictures of the dashboard for README and docs anew, in Chromium, of the month of the demo shop on a
 * server of its own. Without a folder they go where the docs show them.
 */
import { join } from "node:path";
import type { Page } from "playwright-core";
import { launchBrowser } from "./browser.ts";
import { startOwnServer } from "./own-server.ts";

const folder = process.argv[2] ?? new URL("../docs/images/", import.meta.url).pathname;
const WINDOW = { width: 1280, height: 800 };

/** Makes the first account, and has the demo filled; answers where its pages are. */
async function comeIn(page: Page, link: string): Promise<string> {
  await page.goto(link);
  await page.getByLabel("Your name").fill("Grace");
  await page.getByLabel("Email").fill("grace@example.com");
  await page.locator("input[type=password]").first().fill("correct horse battery");
  await page.getByRole("button", { name: "Make my account" }).click();
  await page.getByRole("button", { name: "Fill with a month of the shop" }).click();
  await page.getByRole("heading", { name: "Demo shop", level: 1 }).waitFor();
  return page.url().replace(/overview$/, "");
}

/** Opens a page by its path, then what is clicked there in turn by the names of links, and waits for a text. */
async function open(page: Page, address: string, links: readonly (string | RegExp)[], ready: string) {
  await page.goto(address);
  for (const name of links) await page.getByRole("link", { name }).first().click();
  await page.getByText(ready).first().waitFor();
}

const PICTURES: readonly {
  name: string;
  path: string;
  links?: readonly (string | RegExp)[];
  ready: string;
}[] = [
  { name: "overview", path: "overview", ready: "Last 90 days" },
  { name: "results", path: "campaigns?q=Breakfast", links: ["Breakfast box"], ready: "What may be claimed" },
  { name: "approval", path: "approvals", links: [/Breakfast box/], ready: "As users get it" },
  { name: "goal", path: "goals", links: ["More orders"], ready: "Holdout and error budget" },
  { name: "email", path: "email", ready: "At a glance" },
  { name: "agent", path: "agent?view=runs", ready: "evaluate" },
  { name: "events", path: "events", ready: "order_placed" },
];

const server = await startOwnServer();
const browser = await launchBrowser();
try {
  const context = await browser.newContext({
    reducedMotion: "reduce",
    colorScheme: "light",
    viewport: WINDOW,
  });
  const page = await context.newPage();
  const pages = await comeIn(page, server.link);
  for (const { name, path, links = [], ready } of PICTURES) {
    await open(page, `${pages}${path}`, links, ready);
    await page.waitForLoadState("networkidle");
    await page.screenshot({ path: join(folder, `dashboard-${name}.png`) });
    console.log(`dashboard-${name}.png`);
  }
} finally {
  await browser.close();
  await server.stop();
}

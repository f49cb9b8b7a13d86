/**
 * `npm run pictures [folder]`: takes the pictures of the dashboard for README and docs anew, in Chromium, of the month of the demo shop on a
 * server of its own. Without a folder they go where the docs show them.
 */
import { join } from "node:path";
import type { Page } from "playwright-core";
import { launchBrowser, PATIENCE_MS } from "./browser.ts";
import { comeIn, startOwnServer } from "./own-server.ts";

const folder = process.argv[2] ?? new URL("../docs/images/", import.meta.url).pathname;
const WINDOW = { width: 1280, height: 800 };

type Picture = {
  name: string;
  path: string;
  /** Links that are clicked there, one after the other. */
  links?: readonly string[];
  /** The rest of the address, of a page that lies within. */
  within?: string;
  /** A text that is there when the page is. */
  ready: string;
};

async function open(
  page: Page,
  pages: string,
  { path, links = [], within = "", ready }: Picture,
): Promise<void> {
  await page.goto(`${pages}${path}`);
  for (const name of links) {
    const before = page.url();
    await page.getByRole("main").getByRole("link", { name }).first().click();
    await page.waitForURL((url) => url.href !== before);
  }
  if (within !== "") await page.goto(page.url() + within);
  await page.getByText(ready).first().waitFor();
}

const PICTURES: readonly Picture[] = [
  { name: "overview", path: "overview", ready: "The last 90 days" },
  { name: "results", path: "campaigns?q=Breakfast", links: ["Breakfast box"], ready: "What may be claimed" },
  {
    name: "editor",
    path: "campaigns?q=Never",
    links: ["Never run out"],
    within: "/edit",
    ready: "of 2,000 users",
  },
  { name: "approval", path: "approvals", links: ["Breakfast box"], ready: "Why the agent wants it" },
  { name: "goal", path: "goals", links: ["More orders"], ready: "With and without messages" },
  { name: "email", path: "email", ready: "What became of mail" },
  { name: "agent", path: "agent?view=runs", ready: "Decision" },
];

const server = await startOwnServer();
const browser = await launchBrowser();
try {
  const context = await browser.newContext({
    reducedMotion: "reduce",
    colorScheme: "light",
    viewport: WINDOW,
  });
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  const pages = await comeIn(page, server.link);
  for (const picture of PICTURES) {
    await open(page, pages, picture);
    await page.waitForLoadState("networkidle");
    const file = join(folder, `dashboard-${picture.name}.png`);
    await page.screenshot({ path: file });
    console.log(file);
  }
} finally {
  await browser.close();
  await server.stop();
}

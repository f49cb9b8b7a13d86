import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { AxeResults, RunOptions } from "axe-core";
import type { Page } from "playwright-core";

/** The short form: it goes to the browser once for each page that is loaded. */
const AXE = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

declare const axe: { run(options: RunOptions): Promise<AxeResults> };

/** Targets of 24 px (WCAG 2.2 AA) are looked at beside what axe-core looks at by itself. */
const OPTIONS: RunOptions = { resultTypes: ["violations"], rules: { "target-size": { enabled: true } } };

/** What axe-core finds in a page, with where. */
export async function accessibilityFaults(page: Page): Promise<{ id: string; targets: unknown[] }[]> {
  // A page that was looked at before has it already.
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(AXE);
  // The page picks the faults out, because all that axe found to be right is megabytes, which would have to leave the browser.
  return page.evaluate(async (options) => {
    const { violations } = await axe.run(options);
    return violations.map(({ id, nodes }) => ({ id, targets: nodes.map(({ target }) => target) }));
  }, OPTIONS);
}

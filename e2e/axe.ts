import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import type { Page } from "playwright-core";

const AXE = createRequire(import.meta.url).resolve("axe-core");

declare const axe: { run(options: object): Promise<AxeResults> };

/** Targets of 24 px (WCAG 2.2 AA) are looked at beside what axe-core looks at by itself. */
const OPTIONS = { rules: { "target-size": { enabled: true } } };

/** What axe-core finds in a page, with where. */
export async function accessibilityFaults(page: Page): Promise<{ id: string; targets: unknown[] }[]> {
  // A page that was looked at before has it already.
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(await readFile(AXE, "utf8"));
  const { violations } = await page.evaluate((options) => axe.run(options), OPTIONS);
  return violations.map(({ id, nodes }) => ({ id, targets: nodes.map(({ target }) => target) }));
}

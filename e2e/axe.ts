import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { AxeResults, RunOptions } from "axe-core";
import type { Page } from "playwright-core";

/** The short form: it goes to the browser once for each page that is loaded. */
const AXE = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

type Fault = { id: string; targets: unknown[] };

declare global {
  interface Window {
    axe: { run(options: RunOptions): Promise<AxeResults> };
    /** The page when all rules were run last: its markup and where everything lay, and what was found beside faults of colours. */
    lastLook?: { outline: string; colourless: Fault[] };
  }
}

/** Targets of 24 px (WCAG 2.2 AA) are looked at beside what axe-core looks at by itself. Frames, which do not have axe, would be waited for. */
const OPTIONS: RunOptions = {
  resultTypes: ["violations"],
  rules: { "target-size": { enabled: true } },
  iframes: false,
};
/** What axe-core's rules about colours are marked with. */
const COLOURS = "cat.color";

/**
 * What axe-core finds in a page, with where. Rules about anything but colours are not run again where the page has the same markup as it had
 * when they were run last, and all of it lies and is seen where it was: so a page in its other colours costs half a look.
 */
export async function accessibilityFaults(page: Page): Promise<Fault[]> {
  // A page that was looked at before has it already.
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(AXE);
  // The page picks the faults out, because all that axe found to be right is megabytes, which would have to leave the browser.
  return page.evaluate(
    async ([options, colours]) => {
      /** Everything within a root, and how it lies; what names the colours of a page stands at its <html>. */
      const outlineOf = (root: Element | ShadowRoot): string => {
        // Mantine marks its frame for a moment after the window has another size.
        const lines = [root.innerHTML.replaceAll(' data-resizing="true"', "")];
        for (const element of root.querySelectorAll("*")) {
          const { x, y, width, height } = element.getBoundingClientRect();
          lines.push(`${x} ${y} ${width} ${height} ${element.checkVisibility({ visibilityProperty: true })}`);
          if (element.shadowRoot !== null) lines.push(outlineOf(element.shadowRoot));
        }
        return lines.join("\n");
      };
      const outline = `${innerWidth} ${innerHeight} ${document.title} ${outlineOf(document.body)}`;
      const isKnown = window.lastLook?.outline === outline;
      const { violations } = await window.axe.run(
        isKnown
          ? { ...options, rules: { "color-contrast-enhanced": { enabled: false } }, runOnly: [colours] }
          : options,
      );
      const found = violations.map(({ id, nodes, tags }) => ({
        fault: { id, targets: nodes.map(({ target }) => target) },
        isOfColours: tags.includes(colours),
      }));
      const faults = (isOfColours: boolean) =>
        found.filter((each) => each.isOfColours === isOfColours).map(({ fault }) => fault);
      const colourless = isKnown ? (window.lastLook?.colourless ?? []) : faults(false);
      window.lastLook = { outline, colourless };
      return [...colourless, ...faults(true)];
    },
    [OPTIONS, COLOURS] as const,
  );
}

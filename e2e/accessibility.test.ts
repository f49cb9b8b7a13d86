import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { describe, it } from "node:test";
import type { AxeResults } from "axe-core";
import { launchCampaign } from "../apps/server/test/factories.ts";
import { sharedHouse } from "../apps/server/test/harness.ts";
import { testBrowser } from "./browser.ts";
import { pageWith, snippet, testSite } from "./site.ts";

const house = sharedHouse();
const browser = testBrowser();
const site = testSite();
const AXE = createRequire(import.meta.url).resolve("axe-core");

declare const axe: { run(): Promise<AxeResults> };

describe("axe-core finds nothing to say", () => {
  for (const presentation of ["toast", "modal"] as const) {
    for (const colorScheme of ["light", "dark"] as const) {
      it(`in a ${presentation} on a ${colorScheme} page`, async () => {
        const project = await house.project();
        await launchCampaign(project, {
          message: {
            presentation,
            title: "Free delivery today",
            body: "On every first order, until midnight.",
            cta: { label: "Have a look", url: "/offer" },
          },
        });
        const style = `<style>:root { color-scheme: ${colorScheme} }</style>`;
        site.serve({ "/": { html: pageWith(snippet(house.url, project.publishableKey, "ada") + style) } });
        const page = await browser().newPage({ colorScheme, reducedMotion: "reduce" });
        await page.goto(site.url);
        await page.getByText("Free delivery today").waitFor();
        await page.addScriptTag({ path: AXE });
        const { violations, passes } = await page.evaluate(() => axe.run());
        assert.deepEqual(
          violations.map(({ id, nodes }) => ({ id, targets: nodes.map((node) => node.target) })),
          [],
        );
        assert.ok(
          passes.some(
            ({ id, nodes }) =>
              id === "color-contrast" && nodes.some((node) => String(node.target).includes("body")),
          ),
          "the contrast of the message was looked at",
        );
        await page.close();
      });
    }
  }
});

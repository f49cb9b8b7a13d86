import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { describe, it, type TestContext } from "node:test";
import type { AxeResults } from "axe-core";
import type { BrowserContextOptions, Page } from "playwright-core";
import { testHouse } from "../apps/server/test/harness.ts";
import { fateOf, sentMail, suppressionOf } from "../apps/server/test/mail.ts";
import { PATIENCE_MS, testBrowser } from "./browser.ts";

const house = testHouse();
const browser = testBrowser();
const AXE = createRequire(import.meta.url).resolve("axe-core");

declare const axe: { run(): Promise<AxeResults> };

async function opened(t: TestContext, name: string, options: BrowserContextOptions) {
  const project = await house.project();
  await house.database.pool.query("update projects set name = $2 where id = $1", [project.projectId, name]);
  const mail = await sentMail(house, project);
  house.advance(60_000);
  const context = await browser().newContext(options);
  context.setDefaultTimeout(PATIENCE_MS);
  t.after(() => context.close());
  const page = await context.newPage();
  const answer = await page.goto(mail.link("unsubscribe"));
  assert.equal(answer?.status(), 200);
  return { project, mail, page };
}

/** Nothing reaches beyond the window, and the button is as large as a finger. */
async function fits(page: Page): Promise<void> {
  const { width = 0 } = page.viewportSize() ?? {};
  const main = await page.getByRole("main").boundingBox();
  assert.ok(main && main.x >= 0 && main.x + main.width <= width, JSON.stringify(main));
  const button = await page.getByRole("button").boundingBox();
  assert.ok(button && button.height >= 44 && button.x + button.width <= width, JSON.stringify(button));
}

const LONG = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft & Söhne";

describe("the unsubscribe page", () => {
  for (const colorScheme of ["light", "dark"] as const) {
    for (const [width, name] of [
      [1_280, "Tea & Co"],
      [360, LONG],
    ] as const) {
      it(`works without JavaScript, ${colorScheme}, ${width} px wide`, async (t) => {
        const { project, mail, page } = await opened(t, name, {
          colorScheme,
          viewport: { width, height: 720 },
          javaScriptEnabled: false,
        });
        const suppression = () => suppressionOf(house, project, mail.address);
        const heading = (text: string) => page.getByRole("heading", { level: 1, name: text }).waitFor();
        const keep = async (step: string): Promise<void> => {
          await fits(page);
          const folder = process.env.SCREENSHOTS;
          if (folder !== undefined)
            await page.screenshot({ path: `${folder}/unsubscribe-${colorScheme}-${width}-${step}.png` });
        };
        await heading(`Stop email from ${name}?`);
        await keep("ask");
        assert.equal(await suppression(), null);
        await page.keyboard.press("Tab");
        await page.keyboard.press("Enter");
        await heading("You are unsubscribed");
        await keep("done");
        assert.equal(await suppression(), "unsubscribed");
        assert.equal((await fateOf(house, project, mail)).state, "unsubscribed");
        await page.getByRole("button", { name: "Subscribe again" }).click();
        await heading("You are subscribed again");
        await keep("back");
        assert.equal(await suppression(), null);
        await page.getByRole("button", { name: "Unsubscribe" }).click();
        await heading("You are unsubscribed");
        assert.equal(await suppression(), "unsubscribed");
        assert.deepEqual(await house.differences(), {});
      });
    }

    it(`gives axe-core nothing to say, ${colorScheme}`, async (t) => {
      const { mail, page } = await opened(t, "Tea & Co", { colorScheme, bypassCSP: true });
      const examine = async (): Promise<void> => {
        await page.evaluate(await readFile(AXE, "utf8"));
        const { violations, passes } = await page.evaluate(() => axe.run());
        assert.deepEqual(
          violations.map(({ id, nodes }) => ({ id, targets: nodes.map((node) => node.target) })),
          [],
        );
        assert.ok(passes.some(({ id }) => id === "color-contrast"));
      };
      await examine();
      await page.getByRole("button").click();
      await page.getByRole("heading", { name: "You are unsubscribed" }).waitFor();
      await examine();
      await page.goto(mail.link("unsubscribe").replace("/e/", "/e/x"));
      await page.getByRole("heading", { name: "This link does not work" }).waitFor();
      await examine();
    });
  }

  it("is styled under its own policy, asks nobody else, and runs nothing", async (t) => {
    const { page, mail } = await opened(t, "<script>document.title = 'no'</script>", {});
    const lines: string[] = [];
    page.on("console", (line) => lines.push(line.text()));
    page.on("pageerror", ({ message }) => lines.push(message));
    const requested: string[] = [];
    page.on("request", (request) => requested.push(request.url()));
    await page.goto(mail.link("unsubscribe"));
    const button = page.getByRole("button");
    assert.equal(await button.evaluate((element) => getComputedStyle(element).fontWeight), "600");
    await button.click();
    await page.getByRole("heading", { name: "You are unsubscribed" }).waitFor();
    assert.notEqual(await page.title(), "no");
    assert.deepEqual(lines, []);
    const url = mail.link("unsubscribe");
    assert.deepEqual(
      requested.filter((address) => !address.endsWith("/favicon.ico")),
      [url, url],
    );
  });
});

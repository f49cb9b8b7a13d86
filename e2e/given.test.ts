import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Page } from "playwright-core";
import { recorded } from "../apps/server/test/factories.ts";
import { allSent, step, tell } from "./seen.ts";
import { testStage } from "./stage.ts";
import { allArrived } from "./truth.ts";

const { house, site, shop, page: newPage } = testStage();

/** What a page did not catch, and what Tidings warned of, from now on. */
function troubleOf(page: Page): { errors: string[]; warnings: string[] } {
  const trouble = { errors: [] as string[], warnings: [] as string[] };
  page.on("pageerror", ({ message }) => trouble.errors.push(message));
  page.on("console", (message) => message.type() === "warning" && trouble.warnings.push(message.text()));
  return trouble;
}

const warnedOf = (warnings: readonly string[], ...causes: RegExp[]): void => {
  for (const cause of causes) assert.match(warnings.join("\n"), cause);
};

describe("what a page gives by mistake", () => {
  it("loses no other event, throws nothing, and is named on the console", async (t) => {
    const project = await shop();
    const page = await newPage(t);
    const { errors, warnings } = troubleOf(page);
    await page.goto(site.url);
    await page.evaluate(() => {
      const loop: Record<string, unknown> = {};
      loop.loop = loop;
      const hostile = {
        get n() {
          throw new Error("not yours");
        },
      };
      const calls: unknown[][] = [
        ["track", "step", { n: 1 }],
        ...["text", ["list"], 5, true].map((props) => ["track", "wrong", props]),
        ...[undefined, null, 5, {}, ""].map((name) => ["track", name]),
        ["track", "wrong", {}, { eventId: 5 }],
        ["track", "wrong", loop],
        ["track", "wrong", hostile],
        ["track"],
        [],
        ["toString"],
        ["__proto__"],
        ["identify"],
        ["track", "step", { n: 2 }],
      ];
      const wrongCalls = [undefined, null, 5, "track", Symbol("track")] as unknown as unknown[][];
      window.tidings.push(...calls.slice(0, -1), ...wrongCalls, ...calls.slice(-1));
    });
    assert.deepEqual(await allArrived(house, project, 2), [1, 2]);
    await allSent(page);
    assert.deepEqual(await recorded(house, project, "ada", "wrong"), []);
    assert.deepEqual(errors, []);
    warnedOf(
      warnings,
      /props must be/,
      /event must be|event is required/,
      /circular/,
      /not yours/,
      /no user id/,
    );
  });

  it("is recorded as exactly as JSON can: large whole numbers as text, and what is no number or date not at all", async (t) => {
    const project = await shop();
    const page = await newPage(t);
    const { warnings } = troubleOf(page);
    await page.goto(site.url);
    await page.evaluate(() => {
      const at = new Date(Date.UTC(2026, 0, 2));
      const props = {
        big: 1161888007138312193n,
        at,
        none: null,
        price: Number.NaN,
        until: new Date("soon"),
        list: [1, 2],
      };
      window.tidings.push(["track", "paid", props]);
    });
    await allSent(page);
    const [{ props } = { props: null }] = await recorded(house, project, "ada", "paid");
    const { $current_url, $pathname, ...given } = props as Record<string, unknown>;
    assert.deepEqual(given, {
      big: "1161888007138312193",
      at: "2026-01-02T00:00:00.000Z",
      none: null,
      list: [1, 2],
    });
    warnedOf(warnings, /price is NaN/, /until is Invalid Date/);
  });

  it("takes no trait away that was meant to be set, and makes none of a text", async (t) => {
    const project = await shop({ traits: { score: 7, joined: "2026-01-02" } });
    const page = await newPage(t);
    const { warnings } = troubleOf(page);
    await page.goto(site.url);
    await allSent(page);
    await page.evaluate(() =>
      window.tidings.push(
        ["identify", "ada", { score: Number.NaN, joined: new Date("soon"), plan: "pro" }],
        ["identify", "ada", "free"],
        ["identify", "ada", ["free"]],
      ),
    );
    await tell(page, step(1));
    await allArrived(house, project, 1);
    const { users } = await project.api.listUsers({ query: {} });
    const traits = Object.entries(users[0]?.traits ?? {}).filter(([name]) => !name.startsWith("$"));
    assert.deepEqual(Object.fromEntries(traits), { score: 7, joined: "2026-01-02", plan: "pro" });
    warnedOf(warnings, /score is NaN/, /joined is Invalid Date/, /traits must be/);
  });
});

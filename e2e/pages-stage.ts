import type { TestContext } from "node:test";
import type { BrowserContext, Page as Tab } from "playwright-core";
import type { Page } from "../apps/dashboard/src/platform/pages.ts";
import { defaultLimits } from "../apps/server/src/platform/limits.ts";
import { mirrorsFolder } from "../apps/server/test/from-code.ts";
import type { TestProject } from "../apps/server/test/harness.ts";
import { makePerson } from "../apps/server/test/people.ts";
import { cameIn } from "./dashboard.ts";
import { addressIn, everyPage, filesFolder, fullProject, namesIn } from "./every-page.ts";
import { testStage } from "./stage.ts";

/** Enough for everything that the month shows: a proposal, a claim, a split that is wrong. */
const CUSTOMERS = 650;

export const PHONE = { width: 390, height: 844 };

/** The parts of a page that its tabs open. */
export const partsOf = (tab: Tab) => tab.getByRole("main").getByRole("tab");

/** A server with all that pages show. `pages`, `project`: once they are prepared. */
export function pagesStage() {
  const { house, visitor } = testStage({
    dataDir: mirrorsFolder(),
    syncsFolder: filesFolder(),
    limits: { ...defaultLimits, demoCustomers: CUSTOMERS },
  });
  let made: { pages: Page[]; project: TestProject; names: Record<string, string> } | null = null;
  const known = () => {
    if (made === null) throw new Error("The pages are made before the tests run.");
    return made;
  };
  return {
    /** Makes what the pages show: before the tests, once the server is there. */
    async prepare(): Promise<void> {
      const project = await fullProject(house);
      made = { pages: await everyPage(), project, names: await namesIn(house, project) };
    },
    house,
    visitor,
    pages: () => known().pages,
    project: () => known().project,
    addressOf: (page: Page): string => addressIn(house, known().project, page, known().names),
    /** A browser in which an owner is signed in, who runs the server as well. */
    async ownersBrowser(t: TestContext): Promise<BrowserContext> {
      const context = await visitor(t, { viewport: PHONE });
      await cameIn(context, house, await makePerson(house, { role: "owner", isOperator: true }));
      return context;
    },
  };
}

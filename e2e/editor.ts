import assert from "node:assert/strict";
import type { Frame, Page } from "playwright-core";
import type { PersonRole } from "../apps/server/src/platform/http/contract/person.ts";
import { launchCampaign } from "../apps/server/test/factories.ts";
import type { TestProject } from "../apps/server/test/harness.ts";
import { openedBy, pageOf, title } from "./dashboard.ts";
import { testStage } from "./stage.ts";

export const MAIL = {
  subject: "Hi {{ user.name | default: 'there' }}",
  body: "# Big news\n\nWe **did** it.",
};

/** A house and a browser for the tests of one file about the editor. Call at the top. */
export function editorStage() {
  const { house, site, page: newPage } = testStage();
  const addressOf = (project: TestProject, path: string) => pageOf(house, project, path);
  return {
    house,
    site,
    newPage,
    addressOf,
    opened: (page: Page, role: PersonRole) => openedBy(house, page, role),
    /** A draft, opened in the editor. */
    async editing(page: Page, project: TestProject, body: object = {}): Promise<string> {
      const { id } = await launchCampaign(project, { name: "Spring", launch: false, ...body });
      await page.goto(addressOf(project, `campaigns/${id}/edit`));
      await title(page, "Edit Spring");
      return id;
    },
  };
}

export const stored = async ({ api }: TestProject, id: string) =>
  (await api.getCampaign({ path: { id } })).campaign;

/** Waits until the editor says that all is saved. */
export const saved = (page: Page) => page.getByText("Saved", { exact: true }).waitFor();

/** The frame in which a message is drawn. */
export async function frameOf(page: Page, name: string): Promise<Frame> {
  const element = await page.locator(`iframe[title="${name}"]`).elementHandle();
  // Browsers draw nothing in a frame that is out of sight, as it is on a phone until a person scrolls to it.
  await element?.scrollIntoViewIfNeeded();
  const frame = await element?.contentFrame();
  assert.ok(frame, name);
  return frame;
}

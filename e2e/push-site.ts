import assert from "node:assert/strict";
import { after, type TestContext } from "node:test";
import type { Answer } from "@tidings/client";
import type { BrowserContext, Page } from "playwright-core";
import { until } from "../apps/server/test/commands/spawned.ts";
import type { TestHouse, TestProject } from "../apps/server/test/harness.ts";
import { startWebPush } from "../apps/server/test/peers/web-push.ts";
import { launchPush } from "../apps/server/test/push.ts";
import type { WebPush, WebPushOptions, WebPushState } from "../packages/device/src/web/page.ts";
import { type PushBrowser, pushBrowser, type ShownNotification, workerWith } from "./push-browser.ts";
import { pageWith, type Site } from "./site.ts";
import { testStage } from "./stage.ts";

declare global {
  interface Window {
    webPush: WebPush;
    /** What `onFault` was given, as text. */
    faults: string[];
  }
}

export const APP = "shop.example";
const CREDENTIAL = { provider: "webpush" as const, subject: "mailto:push@tidings.dev" };

export const MESSAGE = {
  title: "Back in <b>stock</b>",
  body: "Morning Blend.",
  destination: { kind: "website" as const, url: "https://shop.example/blend" },
};

type Sight = {
  options?: Partial<WebPushOptions>;
  /** Of the page. */
  headers?: Record<string, string>;
  /** The site's worker, behind what the browser lacks; null where the site has none. */
  worker?: string | null;
  /** Where it lies. */
  path?: string;
  hasKey?: boolean;
  /** Runs in each page before anything else. */
  before?: string;
};

/** A site with web push and a visitor in it. */
export type PushShop = {
  project: TestProject;
  context: BrowserContext;
  page: Page;
  browser: PushBrowser;
  state(): Promise<WebPushState>;
  subscribe(): Promise<WebPushState>;
  /** Loads the page again; after more than the half hour in which pages are one visit. */
  visitAgain(): Promise<void>;
  /** What went wrong in the page, which no call rejected with. */
  faults(): Promise<string[]>;
};

export type PushStage = {
  house: TestHouse;
  site: Site;
  /** The line of the site's worker. */
  importing(): string;
  shop(t: TestContext, sight?: Sight): Promise<PushShop>;
  /** Gives a project a key for browsers, in the place of `revision`; one that was made before where `privateKey` says which. */
  putKey(project: TestProject, expectedRevision?: number, privateKey?: string): Promise<unknown>;
  /** Sends a campaign to the project's only reachable user: what the browser's push service has for the browser then. */
  send(shop: PushShop, message?: object): Promise<{ id: string; text: string; endpoint: string }>;
};

const VISIT_MS = 31 * 60_000;

/** A house, a push service and a customer's site for the tests of one file. Call at the top. */
export async function pushStage(): Promise<PushStage> {
  const service = await startWebPush({ clock: () => house.now() });
  after(() => service.close());
  const { house, site, visitor } = testStage({ webpushHosts: service.hosts, webpushPrivate: true });
  const importing = (): string => `importScripts("${house.url}/tidings-sw.js");`;
  const putKey: PushStage["putKey"] = ({ api }, expectedRevision = 0, privateKey) => {
    const credential = { ...CREDENTIAL, ...(privateKey !== undefined && { privateKey }) };
    const way = { appId: APP, platform: "web" as const, environment: "production" as const };
    return api.putPushCredential({ body: { ...way, expectedRevision, credential } });
  };
  const opening = (
    key: string,
    options: object = {},
  ): string => `<script type="module" src="/open.js"></script>
<script type="application/json" id="options">${JSON.stringify({ key, appId: APP, ...options })}</script>`;
  const opener = (): string => `import { openWebPush } from "${house.url}/tidings-push.js";
window.faults = [];
const options = JSON.parse(document.querySelector("#options").textContent);
window.webPush = openWebPush({ ...options, onFault: (fault) => window.faults.push(String(fault)) });`;
  return {
    house,
    site,
    importing,
    putKey,
    async shop(t, sight = {}) {
      const { options, headers, worker = importing(), path = "/tidings-sw.js", hasKey = true } = sight;
      const project = await house.project();
      const script = "text/javascript";
      site.serve({
        "/": { html: pageWith(opening(project.publishableKey, options)), ...(headers && { headers }) },
        "/open.js": { html: opener(), type: script },
        ...(worker !== null && { [path]: { html: workerWith(worker), type: script } }),
      });
      if (hasKey) await putKey(project);
      const context = await visitor(t);
      const browser = await pushBrowser(context, service);
      browser.answersWith("granted");
      if (sight.before !== undefined) await context.addInitScript(sight.before);
      const page = await context.newPage();
      const thrown: string[] = [];
      page.on("pageerror", ({ message }) => thrown.push(message));
      const opened = () => page.waitForFunction(() => window.webPush !== undefined);
      await page.goto(site.url);
      await opened();
      let visits = 0;
      return {
        project,
        context,
        page,
        browser,
        state: () => page.evaluate(() => window.webPush.state()),
        subscribe: () => page.evaluate(() => window.webPush.subscribe()),
        async visitAgain() {
          await page.clock.setFixedTime(Date.now() + ++visits * VISIT_MS);
          await page.reload();
          await opened();
        },
        faults: async () => [...thrown, ...(await page.evaluate(() => window.faults))],
      };
    },
    async send({ project }, message = MESSAGE) {
      const push = { appId: APP, selection: { kind: "last_active" as const } };
      const before = service.taken.length;
      const { id } = await launchPush(project, { push, message: { ...MESSAGE, ...message } });
      await house.drain();
      const [one, ...others] = service.taken.slice(before);
      assert.ok(one !== undefined && others.length === 0, `${others.length} pushes more than one, or none`);
      return { id, text: one.text, endpoint: one.endpoint };
    },
  };
}

type Installation = Answer<"listInstallations">["installations"][number];

/** The only installation of a project, once it is as it should be. */
export async function installed(
  { project: { api } }: PushShop,
  isSo: (installation: Installation) => boolean,
): Promise<Installation> {
  let [only, ...others]: Installation[] = [];
  await until(async () => {
    [only, ...others] = (await api.listInstallations({})).installations;
    return only !== undefined && isSo(only);
  }, `the installation is as it should be: ${isSo}`).catch((fault: Error) =>
    assert.fail(`${fault.message} ${JSON.stringify(only)}`),
  );
  assert.ok(only !== undefined && others.length === 0);
  return only;
}

export const isReachable = ({ hasToken, consent, permission }: Installation): boolean =>
  hasToken && consent && permission === "granted";

/** The only notification that is shown, once there is one. */
export async function oneShown({ browser }: PushShop): Promise<ShownNotification> {
  await until(() => browser.shown().length === 1, "one notification is shown");
  const [only] = browser.shown();
  assert.ok(only !== undefined);
  return only;
}

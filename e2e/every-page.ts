import assert from "node:assert/strict";
import { globSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import type { BrowserContext, Page as Tab } from "playwright-core";
import type { Page } from "../apps/dashboard/src/platform/pages.ts";
import { uuidFor } from "../apps/server/src/domain/ids.ts";
import { fillMonth } from "../apps/server/src/features/demo/month/fill.ts";
import { readImport } from "../apps/server/src/features/imports/public.ts";
import { writeSync } from "../apps/server/src/features/syncs/writing/sync-loop.ts";
import { launchedFromCode } from "../apps/server/test/from-code.ts";
import type { TestHouse, TestProject } from "../apps/server/test/harness.ts";
import { clientOf } from "../apps/server/test/people.ts";
import { pageOf } from "./dashboard.ts";

const FEATURES = new URL("../apps/dashboard/src/features/", import.meta.url);

/** Every page that a feature declares in its `pages.ts`: none that is added can be forgotten. */
export async function everyPage(): Promise<Page[]> {
  const files = globSync("*/pages.ts", { cwd: FEATURES }).sort();
  const modules = await Promise.all(
    files.map(async (file): Promise<Record<string, Page>> => import(new URL(file, FEATURES).href)),
  );
  return modules.flatMap((module) => Object.values(module));
}

/** Newcomers of the shop. The address of one of them is none. */
const NEWCOMERS = `id,email,plan
ann-new,ann.new@example.com,pro
joe-new,joe.new@example.com,free
kim-new,kim at home,free
`;

/** A file of users that was tried, so nothing of it is in any other figure. */
async function triedFile(house: TestHouse, { api, projectId }: TestProject): Promise<void> {
  const { import: made } = await api.createImport({ body: { kind: "users", name: "newcomers.csv" } });
  await api.uploadImportPart({ path: { id: made.id, n: 1 }, file: new Blob([NEWCOMERS]) });
  await api.startImport({ path: { id: made.id }, body: { dryRun: true } });
  const { app } = house.tidings;
  await readImport(app, projectId, uuidFor("imp", made.id), new AbortController().signal);
}

/** What libraries of the shop sent: calls that are taken and change no user, and some that are not taken. */
async function sentByLibraries({ api }: TestProject): Promise<void> {
  const userId = one((await api.listUsers({ query: { perPage: 1 } })).users, "user").externalUserId;
  const page = { library: { name: "analytics.js" } };
  const server = { library: { name: "analytics-node" } };
  const batch = [
    { type: "identify" as const, userId, context: page },
    { type: "page" as const, anonymousId: "before sign-in", context: page },
    { type: "track" as const, anonymousId: "before sign-in", event: "basket_opened", context: page },
    { type: "identify" as const, userId, timestamp: "last Tuesday", context: server },
    { type: "alias" as const, userId, previousId: "another", context: server },
  ];
  await api.sendCalls({ path: { call: "batch" }, body: { batch } });
}

/** A webhook with a message that waits: nothing leaves, so that no figure of it changes while pages are looked at. */
async function waitingWebhook({ api }: TestProject): Promise<void> {
  const url = "https://crm.example.com/tidings";
  const { webhook } = await api.createWebhook({
    body: { url, types: ["address.suppressed", "import.ended"] },
  });
  await api.testWebhook({ path: { id: webhook.id } });
}

/** A template that is live, and a receipt of it that waits for a day: nothing leaves, so that no figure changes while pages are looked at. */
async function waitingReceipt(house: TestHouse, { api }: TestProject): Promise<void> {
  await api.createCampaign({
    body: {
      name: "Receipt of a box",
      channel: "email",
      purpose: "transactional",
      key: "box",
      message: { subject: "Your {{ data.box }}", body: "{{ data.box }}: thank you." },
      launch: true,
    },
  });
  const { users } = await api.listUsers({ query: { perPage: 100 } });
  const userId = users.findLast(({ traits }) => typeof traits.email === "string")?.externalUserId ?? "";
  await api.sendMail({
    body: {
      template: "box",
      to: { userId },
      data: { box: "Breakfast box" },
      sendAt: house.now() + 86_400_000,
    },
  });
}

/** Topics, and what a user chose of them, by email and by push. */
async function chosenTopics({ api }: TestProject): Promise<void> {
  for (const [key, name, isDefault] of [
    ["news", "News of the shop", "in"],
    ["recipes", "Recipes", "out"],
  ] as const)
    await api.createTopic({ body: { key, name, isDefault, description: `${name}, now and then.` } });
  const { externalUserId } = one((await api.listUsers({ query: { perPage: 1 } })).users, "user");
  await api.putUserSubscriptions({
    path: { id: externalUserId },
    body: {
      choices: [
        { topic: "news", wants: "out" },
        { topic: "recipes", channel: "push", wants: "in" },
      ],
    },
  });
}

/** A journey of two paths, in which two users wait for a month: nothing of it leaves, so that no figure changes while pages are looked at. */
async function waitingJourney({ api }: TestProject): Promise<void> {
  const newsletter = {
    version: 1 as const,
    root: {
      kind: "field" as const,
      field: { kind: "trait" as const, key: "newsletter" },
      op: "eq" as const,
      value: true,
    },
  };
  const { goals } = await api.listGoals();
  const { journey } = await api.createJourney({
    body: {
      name: "Second order",
      goalId: one(goals, "goal").id,
      entry: { on: "request" },
      again: { afterDays: 90 },
      exit: { onGoal: true, events: [{ event: "box_given_up" }] },
      steps: [
        {
          id: "paths",
          kind: "split",
          arms: [
            { name: "After a month", weight: 50, to: "month" },
            { name: "By the date", weight: 50, to: "renewal" },
          ],
        },
        { id: "month", kind: "wait", for: { amount: 30, unit: "days" } },
        {
          id: "reader",
          kind: "if",
          audience: { kind: "expression", expression: newsletter },
          else: "hour",
        },
        { id: "stop", kind: "end" },
        { id: "hour", kind: "wait", for: { amount: 2, unit: "hours" } },
        { id: "morning", kind: "wait", until: { at: "09:00", zone: "user", weekdays: ["mon", "tue"] } },
        {
          id: "renewal",
          kind: "wait",
          date: { trait: "renewsAt", days: -3, at: "17:30", zone: "UTC" },
          orEvent: { event: "box_ordered" },
        },
      ],
    },
  });
  await api.setJourneyStatus({ path: { id: journey.id }, body: { action: "launch" } });
  const { users } = await api.listUsers({ query: { perPage: 2 } });
  await api.addJourneyEntries({
    path: { id: journey.id },
    body: { userIds: users.map(({ externalUserId }) => externalUserId) },
  });
}

/** A folder to which syncs may write, which is removed at the end. Call at the top of a file. */
export function filesFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "tidings-syncs-"));
  after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A sync that has written what is there, and has nothing to write for a day. */
async function writtenSync(house: TestHouse, { projectId }: TestProject): Promise<void> {
  const { client } = await clientOf(house, projectId, "owner");
  const { sync } = await client.createSync({
    body: { lists: ["events", "users"], format: "csv", every: "day", to: { folder: "warehouse" } },
  });
  await writeSync(house.tidings.app, projectId, uuidFor("sync", sync.id), new AbortController().signal);
}

/**
 * A project in which every page has something to show: the month of the shop, campaigns from code, a file that was tried, calls of
 * libraries, a webhook, topics, a journey, and a sync. Its house has a folder for files.
 * @param now when the month ends, epoch ms
 */
export async function fullProject(house: TestHouse, now = Date.now()): Promise<TestProject> {
  house.at(now);
  const project = await house.project();
  await fillMonth(house.tidings.app, project.projectId);
  await launchedFromCode(house, project);
  await triedFile(house, project);
  await sentByLibraries(project);
  await waitingWebhook(project);
  await waitingReceipt(house, project);
  await chosenTopics(project);
  await waitingJourney(project);
  await writtenSync(house, project);
  return project;
}

/** Finds one of a list, or fails by its name. */
function one<Thing>(
  things: readonly Thing[],
  what: string,
  is: (thing: Thing) => boolean = () => true,
): Thing {
  const found = things.find(is);
  if (found === undefined) throw new Error(`The project has no ${what}.`);
  return found;
}

/** What stands for the `$names` in the path of each page that has one. A page with another name of its own belongs here. */
export async function namesIn(house: TestHouse, { projectId }: TestProject): Promise<Record<string, string>> {
  const { client } = await clientOf(house, projectId, "owner");
  const { campaigns } = await client.listCampaigns({ query: { perPage: 100 } });
  const { goals } = await client.listGoals();
  const { segments } = await client.searchSegments();
  const { runs } = await client.listAgentRuns();
  const { waiting } = await client.listApprovals();
  const { installations } = await client.listInstallations();
  const { users } = await client.listUsers();
  const { sources } = await client.listSources();
  const { imports } = await client.listImports();
  const { webhooks } = await client.listWebhooks();
  const { syncs } = await client.listSyncs();
  const { journeys } = await client.listJourneys();
  const { campaigns: templates } = await client.listCampaigns({ query: { purpose: "transactional" } });
  const { sends } = await client.listSends();
  const web = one(campaigns, "campaign with results", ({ name }) => name === "Breakfast box").id;
  return {
    $goalId: one(goals, "goal").id,
    $segmentId: one(segments, "segment").id,
    $runId: one(runs, "run of the agent").id,
    $proposalId: one(waiting, "proposal").proposal.id,
    $installationId: one(installations, "device").id,
    $userId: one(users, "user").externalUserId,
    $sourceId: one(sources, "source").id,
    $importId: one(imports, "file that was tried").id,
    $webhookId: one(webhooks, "webhook").id,
    $journeyId: one(journeys, "journey").id,
    $syncId: one(syncs, "sync").id,
    $templateId: one(templates, "template").id,
    $receiptId: one(sends, "receipt").id,
    $campaignId: web,
    "approvals/campaigns/$campaignId": one(campaigns, "draft", ({ name }) => name === "From code, waits").id,
    "push/campaigns/$campaignId": one(
      campaigns,
      "push",
      ({ channel, status }) => channel === "push" && status === "ended",
    ).id,
  };
}

/** The address of a page; what is about the server lies under all projects. */
export function addressIn(
  house: TestHouse,
  project: TestProject,
  { path, ofServer }: Page,
  names: Readonly<Record<string, string>>,
): string {
  const filled = path.replaceAll(/\$\w+/g, (name) => {
    const id = names[path] ?? names[name];
    if (id === undefined)
      throw new Error(`Say in ${import.meta.filename} what stands for ${name} in ${path}.`);
    return encodeURIComponent(id);
  });
  return pageOf(house, ofServer ? { ...project, projectId: "-" } : project, filled);
}

/** Waits until a page has its heading and all that it reads, or says what failed, and shows no old rows, which are dimmed. */
export const untilLoaded = (tab: Tab): Promise<unknown> =>
  tab.waitForFunction(() => {
    const waiting = [...document.querySelectorAll("main [role=status]")].some(
      ({ textContent }) => textContent === "Loading",
    );
    const isOld = document.querySelector("main [aria-busy=true]") !== null;
    return document.querySelector("main h1") !== null && !waiting && !isOld;
  });

const TABS = 8;

/**
 * Visits every page in some tabs of a browser at once, because most of a page's time is waiting. A page that fails keeps none of the
 * others from being visited: all that failed are named in the end.
 */
export async function visitAll<Visited extends Page>(
  context: BrowserContext,
  pages: readonly Visited[],
  visit: (tab: Tab, page: Visited) => Promise<void>,
): Promise<void> {
  const left = [...pages];
  const failed: string[] = [];
  const walk = async (): Promise<void> => {
    for (let page = left.shift(); page !== undefined; page = left.shift()) {
      const tab = await context.newPage();
      const { path } = page;
      await visit(tab, page).catch((error: Error) => failed.push(`${path}: ${error.message}`));
      await tab.close();
    }
  };
  await Promise.all(Array.from({ length: TABS }, walk));
  assert.deepEqual(failed, []);
}

import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { type Answer, createPeopleClient, type PeopleClient } from "@tidings/client";
import type { Request, Page as Tab } from "playwright-core";
import type { Page } from "../apps/dashboard/src/platform/pages.ts";
import { defaultLimits } from "../apps/server/src/platform/limits.ts";
import { mirrorsFolder } from "../apps/server/test/from-code.ts";
import type { TestProject } from "../apps/server/test/harness.ts";
import { clientOf, makePerson } from "../apps/server/test/people.ts";
import { cameIn } from "./dashboard.ts";
import {
  addressIn,
  everyPage,
  filesFolder,
  fullProject,
  namesIn,
  untilLoaded,
  visitAll,
} from "./every-page.ts";
import { faultsOf } from "./figures/account-for.ts";
import { CONSTANT_TEXTS } from "./figures/no-figures.ts";
import { FACTS, FACTS_OF_ALL, none } from "./figures/pages.ts";
import { shownIn } from "./figures/shown.ts";
import { type Truth, truthOf } from "./figures/truth.ts";
import type { View } from "./figures/view.ts";
import { twoFrames } from "./seen.ts";
import { testStage } from "./stage.ts";

/** Enough for everything that the month shows: a proposal, a claim, a split that is wrong. */
const CUSTOMERS = 650;
/** The month ends on a day on which most of it, but not all, is in one period of active users. */
const NOW = Date.UTC(2026, 9, 22, 10, 20);

const { house, visitor } = testStage({
  dataDir: mirrorsFolder(),
  syncsFolder: filesFolder(),
  limits: { ...defaultLimits, demoCustomers: CUSTOMERS },
});

let pages: Page[];
let project: TestProject;
let names: Record<string, string>;
let truth: Truth;
let segmentIds: string[];
let client: PeopleClient;

type Named = Readonly<Record<string, string>>;
/** A page at what its path names; `ofServer` also for one that is about all projects. */
type Visit = Page & { named: Named };

/** Names of things that have more to show than the first ones of their lists. */
async function fullest(
  client: PeopleClient,
): Promise<Record<"user" | "device" | "decision" | "conclusion", Named>> {
  const [got] = truth.users.toSorted((one, other) => happened(other.id) - happened(one.id));
  const pushed = truth.campaigns.find(({ id }) => id === names["push/campaigns/$campaignId"]);
  const { slots } = await client.getCampaignPush({ path: { id: pushed?.id ?? "" } });
  const { runs } = await client.listAgentRuns({ query: { perPage: 100 } });
  const runOf = (kind: string): string => runs.find((run) => run.kind === kind)?.id ?? "";
  return {
    user: { $userId: got?.externalUserId ?? "" },
    device: { $installationId: slots[0]?.installationId ?? "" },
    decision: { $runId: runOf("evaluate") },
    conclusion: { $runId: runOf("conclusion") },
  };
}

/** How much happened to a user. */
const happened = (userId: string): number =>
  [...truth.deliveries.values(), truth.events].flat().filter(({ endUserId }) => endUserId === userId).length;

/** Every page once, and those whose figures meet on other pages for each of their things; then those that are about all projects, too. */
function visits(full: Awaited<ReturnType<typeof fullest>>): Visit[] {
  const named = (more: Readonly<Record<string, string>>) => ({ ...names, ...more });
  const launched = truth.campaigns.filter(({ startedAt }) => startedAt !== undefined);
  const all: Readonly<Record<string, readonly Readonly<Record<string, string>>[]>> = {
    "campaigns/$campaignId": launched.map(({ id }) => named({ $campaignId: id })),
    "goals/$goalId": truth.goals.map(({ id }) => named({ $goalId: id })),
    "segments/$segmentId": segmentIds.map((id) => named({ $segmentId: id })),
    "users/$userId": [names, named(full.user)],
    "push/devices/$installationId": [names, named(full.device)],
    "agent/runs/$runId": [names, named(full.decision), named(full.conclusion)],
  };
  const ofProject = pages.flatMap((page) => {
    const { [page.path]: ofPage } = names;
    const alone = ofPage === undefined ? names : named({ $campaignId: ofPage });
    return (all[page.path] ?? [alone]).map((each) => ({ ...page, named: each }));
  });
  const ofAll = pages.filter((page) => !page.isWithin && !page.ofProject && !page.ofServer);
  return [...ofProject, ...ofAll.map((page) => ({ ...page, ofServer: true as const, named: names }))];
}

/** The tabs of a page, by their names; one without a name where there are none. */
const tabsOf = (tab: Tab) => tab.getByRole("main").getByRole("tab");

/** What a page asks of the server and has no answer to yet; some of a page comes without a sign that it is awaited. */
function openRequests(tab: Tab): ReadonlySet<Request> {
  const open = new Set<Request>();
  tab.on("request", (request) => {
    if (new URL(request.url()).pathname.startsWith("/api/")) open.add(request);
  });
  tab.on("requestfinished", (request) => open.delete(request));
  tab.on("requestfailed", (request) => open.delete(request));
  return open;
}

/** Waits until all is answered, and nothing is being counted any more. */
const counted = async (tab: Tab, open: ReadonlySet<Request>): Promise<void> => {
  await untilLoaded(tab);
  do {
    if (open.size > 0)
      await Promise.race([tab.waitForEvent("requestfinished"), tab.waitForEvent("requestfailed")]);
    await twoFrames(tab);
  } while (open.size > 0);
  await tab.waitForFunction(() =>
    [...document.querySelectorAll("main td, main p, main [role=status]")].every(
      ({ textContent }) => !/^(Counting )?…$/.test(textContent ?? ""),
    ),
  );
  await untilLoaded(tab);
};

it("a number that nothing explains, a wrong one and a missing one are named", () => {
  const shown = [
    { label: "Breakfast box | Converted", text: "90" },
    { label: "", text: "Proposed Nov 26, 2026, 7:17 AM" },
    { label: "Users", text: "12" },
    { label: "", text: "1 to 90" },
  ];
  const facts = ["Breakfast box | Converted: 88", "Events: 7"];
  assert.deepEqual(faultsOf(shown, facts, new Set(["1 to 90"])), [
    "shows “Breakfast box | Converted: 90”, and has to show “Breakfast box | Converted: 88”",
    "nothing explains “Users: 12”",
    "does not show “Events: 7”",
  ]);
});

describe("every figure of the dashboard", () => {
  before(async () => {
    pages = await everyPage();
    project = await fullProject(house, NOW);
    names = await namesIn(house, project);
    ({ client } = await clientOf(house, project.projectId, "owner"));
    truth = await truthOf(client, house.now());
    segmentIds = (await client.searchSegments()).segments.map(({ id }) => id);
  });

  it("is the one that the API's rows come to", async (t) => {
    const context = await visitor(t, { locale: "en-US", timezoneId: "UTC" });
    await context.clock.setFixedTime(NOW);
    const operator = await makePerson(house, { role: "owner", isOperator: true });
    const organization = createPeopleClient(house.url, operator.headers("-"));
    await cameIn(context, house, operator);
    await visitAll(context, visits(await fullest(client)), async (tab, page) => {
      const isOfAll =
        page.ofServer === true && pages.every((each) => each.path !== page.path || !each.ofServer);
      const factsOf = (isOfAll ? FACTS_OF_ALL : FACTS)[page.path] ?? none;
      let system: Answer<"getSystem"> | null = null;
      tab.on("response", (response) => {
        if (new URL(response.url()).pathname === "/api/people/system")
          void response.json().then((answer: Answer<"getSystem">) => {
            system = answer;
          });
      });
      const open = openRequests(tab);
      await tab.goto(addressIn(house, project, page, page.named));
      await counted(tab, open);
      const view: View = { names: page.named, truth, organization, system: () => system };
      const facts = await factsOf(view);
      const faults: string[] = [];
      const parts = await tabsOf(tab).count();
      for (let part = 0; part < Math.max(parts, 1); part++) {
        if (parts > 0) await tabsOf(tab).nth(part).click();
        await counted(tab, open);
        const name = parts === 0 ? "" : ((await tabsOf(tab).nth(part).textContent()) ?? "");
        const all = [...(facts.everywhere ?? []), ...(facts[name] ?? [])];
        const title = await tab.getByRole("heading", { level: 1 }).textContent();
        for (const fault of faultsOf(await shownIn(tab), all, CONSTANT_TEXTS))
          faults.push(`${[title, name].filter((each) => each !== "").join(", ")}: ${fault}`);
      }
      if (faults.length > 0) throw new Error(`Say in figures/pages.ts what these are:\n${faults.join("\n")}`);
    });
  });
});

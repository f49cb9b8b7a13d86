import assert from "node:assert/strict";
import { type Explanation, explain, gateOf } from "../../../../test/eligibility.ts";
import { makeMany } from "../../../../test/factories.ts";
import type { TestProject } from "../../../../test/harness.ts";
import { rounds } from "../../../../test/rounds.ts";
import type { World } from "./world.test-data.ts";

type AnyGate = Explanation["gates"][number];
type GateName = AnyGate["gate"];

/** What explanations say of users, by their ids. */
export type Explained = ReadonlyMap<string, Explanation>;

/** @param pathOf the page of each user, where pages are asked about */
export async function explainAll(
  project: TestProject,
  id: string,
  users: readonly string[],
  pathOf: (user: string) => string | undefined = () => undefined,
): Promise<Explained> {
  const found = await makeMany(users.length, async (at): Promise<[string, Explanation]> => {
    const user = users[at] ?? "";
    return [user, await explain(project, id, user, pathOf(user))];
  });
  return new Map(found);
}

/** The first gate that does not pass, but for those that are left out; null where none is. */
export const firstFailing = ({ gates }: Explanation, leftOut: readonly GateName[] = []): AnyGate | null =>
  gates.find(({ gate, passes }) => passes === false && !leftOut.includes(gate)) ?? null;

/** Gates that a census leaves out: it counts as if the campaign ran, its window were open, and each user came to a page that it is for. */
const NOT_COUNTED: readonly GateName[] = [
  "status",
  "window",
  "serving",
  "channel",
  "page",
  "user",
  "time",
  "quiet",
  "pressure",
];

/** Why a message that could reach a user would leave later, as a census counts it; null where it would not, or only behind others. */
function laterOf({ gates }: Explanation): "localHour" | "quiet" | "pressure" | null {
  const failing = gates.find(
    ({ gate, passes }) => passes === false && ["time", "quiet", "pressure"].includes(gate),
  );
  if (failing === undefined || /Others are on their way/.test(failing.note)) return null;
  return failing.gate === "time" ? "localHour" : failing.gate === "quiet" ? "quiet" : "pressure";
}

/** Where a census counts a user of whom this is said; null for one whom the campaign is not for, or who is counted beside. */
function bucketOf(explanation: Explanation): string | null {
  const { passes, isVisitor, visitors } = gateOf(explanation, "visitors");
  if (passes === false || (isVisitor && visitors !== "only")) return null;
  if (gateOf(explanation, "audience").matched !== true) return null;
  if (gateOf(explanation, "delivery").delivery !== null) return "delivered";
  const failing = firstFailing(explanation, NOT_COUNTED);
  if (failing === null) return "will_receive";
  if (failing.gate === "withheld" || failing.gate === "holdout") return "held_out";
  if (failing.gate === "cap") return "capped";
  if ("reason" in failing && failing.reason !== null) return failing.reason;
  return assert.fail(`No census counts by the gate ${failing.gate}.`);
}

/** The gates of an explanation in a line. */
const lineOf = ({ outcome, gates }: Explanation): string => {
  const parts = gates.map(({ gate, passes, note }) =>
    passes === true ? gate : `${gate}=${passes} (${note})`,
  );
  return `${outcome}: ${parts.join(", ")}`;
};

/** The first property: a census is what explanations say, counted. Strangers are not counted. */
export async function assertCensus(
  { project, seen }: Pick<World, "project" | "seen">,
  id: string,
  explained: Explained,
): Promise<void> {
  const census = await project.api.takeCampaignCensus({ path: { id } });
  const counts: Record<string, number> = {};
  const later = { localHour: 0, quiet: 0, pressure: 0 };
  const inBuckets: string[] = [];
  for (const [user, explanation] of explained) {
    const bucket = gateOf(explanation, "user").known ? bucketOf(explanation) : null;
    if (bucket === null) continue;
    seen.add(bucket);
    const reason = bucket === "will_receive" || bucket === "capped" ? laterOf(explanation) : null;
    if (reason !== null) later[reason]++;
    if (reason !== null) seen.add(`later: ${reason}`);
    counts[bucket] = (counts[bucket] ?? 0) + 1;
    inBuckets.push(`${user} in ${bucket}, ${lineOf(explanation)}`);
  }
  const visitors = [...explained.values()].filter(
    (explanation) =>
      gateOf(explanation, "user").known &&
      gateOf(explanation, "visitors").isVisitor &&
      gateOf(explanation, "visitors").passes === true &&
      gateOf(explanation, "audience").matched === true,
  );
  assert.equal(census.visitors, visitors.length, `the visitors of ${id}`);
  const { matched, alreadyDelivered, heldOut, capped, willReceive, unreachable } = census;
  const counted = Object.entries({
    delivered: alreadyDelivered,
    held_out: heldOut,
    capped,
    will_receive: willReceive,
    ...Object.fromEntries(unreachable.map(({ reason, users }) => [reason, users])),
  });
  const found = Object.fromEntries(counted.filter(([, users]) => users > 0));
  assert.deepEqual(
    found,
    counts,
    `the census of ${id} is not what explanations say\n${inBuckets.join("\n")}`,
  );
  assert.equal(matched, inBuckets.length);
  assert.deepEqual(census.later, later, `who would get ${id} later\n${inBuckets.join("\n")}`);
}

const SHOWN = 4;

/** Compares what became of each user with what the explanations said of it, and shows these where they differ. */
export function assertFates(
  { seen }: Pick<World, "seen">,
  explained: Explained,
  predicted: (explanation: Explanation, user: string) => string,
  became: (explanation: Explanation, user: string) => string,
  campaignId: string,
): void {
  const wrong = [...explained].flatMap(([user, explanation]) => {
    const [expected, actual] = [predicted(explanation, user), became(explanation, user)];
    const had = gateOf(explanation, "delivery").delivery === null ? "new" : "had";
    seen.add(`${had}: ${expected.replace(/ (with|to) .*/, "")}`);
    return expected === actual
      ? []
      : [`${user}: ${actual}, and not ${expected}. Said was ${lineOf(explanation)}`];
  });
  const more = wrong.length > SHOWN ? [`and ${wrong.length - SHOWN} more`] : [];
  assert.deepEqual(
    [...wrong.slice(0, SHOWN), ...more],
    [],
    `explanations of ${campaignId} are not what happened`,
  );
}

/** Everything that worlds have to meet: buckets of censuses, what becomes of users without a delivery, and with one. */
type Everything = Record<"buckets" | "new" | "had", readonly string[]>;

/** Asserts, where a run has many worlds, that they met all of this. */
export function assertSeen(seen: ReadonlySet<string>, { buckets, ...fates }: Everything): void {
  if (rounds(0, 1) === 0) return;
  const ofUsers = (["new", "had"] as const).flatMap((which) =>
    fates[which].map((fate) => `${which}: ${fate}`),
  );
  assert.deepEqual(
    [...buckets, ...ofUsers].filter((each) => !seen.has(each)),
    [],
  );
}

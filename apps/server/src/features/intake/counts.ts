import { createBatch } from "../../platform/db/batch/batch.ts";
import { batchQueue } from "../../platform/db/batch/batch-queue.ts";
import { aloneLoop } from "../../platform/loops/alone-loop.ts";
import { BoundedMap } from "../../platform/remember.ts";
import { type App, resource } from "../../platform/runtime.ts";
import { DAY_MS, HOUR_MS } from "../../platform/time/clock.ts";
import type { ReadCall, Remark } from "./calls/read-call.pure.ts";
import { isRefusal } from "./reasons.pure.ts";
import { type CountedCalls, countCalls, deleteHoursBeforeAcrossProjects, MOST_NAMES } from "./store.ts";

/** How long it can be read what came. */
export const KEPT_DAYS = 30;
/** Libraries of a project that are counted by their name in an hour; a sender chooses it, so that there could be any number. */
const MOST_LIBRARIES = 50;
const MOST_PROJECTS = 1_000;
/** How much of a name is kept. */
const MOST_NAME = 80;

export const hourOf = (at: number): number => Math.floor(at / HOUR_MS);

/** The libraries of an hour that are counted by their name. */
type NamedLibraries = { hour: number; names: Set<string> };
const libraries = resource(() => new BoundedMap<NamedLibraries>(MOST_PROJECTS));

/** The name under which a library is counted. */
function countedAs(
  app: App,
  { projectId, hour }: { projectId: string; hour: number },
  library: string,
): string {
  const all = app.get(libraries);
  const last = all.get(projectId);
  const { names } = last?.hour === hour ? last : { names: new Set<string>() };
  if (names.has(library)) return library;
  if (names.size >= MOST_LIBRARIES) return "other";
  all.set(projectId, { hour, names: names.add(library) });
  return library;
}

/** What a request adds to a row. `key` is the same for what the same row counts. */
type Addition = Omit<CountedCalls, "names"> & { key: string; names: ReadonlySet<string> };

/** The rows of many requests, most of which count the same: each row once, so that a statement does little more for many than for one. */
function addedUp(additions: readonly Addition[]): CountedCalls[] {
  const rows = new Map<string, Omit<CountedCalls, "names"> & { names: Set<string> }>();
  for (const { key, names, ...addition } of additions) {
    const row = rows.get(key);
    if (row === undefined) {
      rows.set(key, { ...addition, names: new Set(names) });
      continue;
    }
    row.count += addition.count;
    row.lastAt = Math.max(row.lastAt, addition.lastAt);
    for (const name of names) if (row.names.size < MOST_NAMES) row.names.add(name);
  }
  return Array.from(rows.values(), ({ names, ...row }) => ({ ...row, names: JSON.stringify([...names]) }));
}

const countBatch = resource((app) =>
  createBatch<Addition, null>({
    // The rows of all requests are few and the same, so that two statements would only wait for each other.
    laneOf: () => 0,
    queue: batchQueue(app, "intake"),
    async run(additions) {
      await countCalls(app.database.hotPool, addedUp(additions));
      return additions.map(() => null);
    },
  }),
);

/** A call with all remarks on it. */
export type JudgedCall = Pick<ReadCall, "call" | "library"> & { remarks: readonly Remark[] };

/** Counts the calls of a request; resolves once that is durable. `now` (epoch milliseconds) is when they came. */
export async function countJudged(
  app: App,
  projectId: string,
  judged: readonly JudgedCall[],
  now: number,
): Promise<void> {
  const sums = new Map<string, Addition & { names: Set<string> }>();
  const hour = hourOf(now);
  function add(library: string, call: string, outcome: string, names: readonly string[]): void {
    // Neither a call nor an outcome has a blank, nor has what stands before them.
    const key = `${projectId} ${hour} ${call} ${outcome} ${library}`;
    const sum = sums.get(key) ?? {
      key,
      projectId,
      hour,
      library,
      call,
      outcome,
      count: 0,
      names: new Set(),
      lastAt: now,
    };
    sum.count++;
    for (const name of names)
      if (name !== "" && sum.names.size < MOST_NAMES)
        sum.names.add([...name.slice(0, 2 * MOST_NAME)].slice(0, MOST_NAME).join(""));
    sums.set(key, sum);
  }
  for (const { library: called, call, remarks } of judged) {
    const library = countedAs(app, { projectId, hour }, called);
    if (!remarks.some(({ reason }) => isRefusal(reason))) add(library, call, "taken", []);
    for (const { reason, names } of remarks) add(library, call, reason, names);
  }
  const batch = app.get(countBatch);
  await Promise.all(Array.from(sums.values(), (sum) => batch.add(sum)));
}

export const forgetCallsLoop = aloneLoop({
  name: "forget calls",
  everyMs: HOUR_MS,
  deletesByAge: true,
  turn: (app) =>
    deleteHoursBeforeAcrossProjects(app.database.background.kysely, hourOf(app.clock() - KEPT_DAYS * DAY_MS)),
});

/**
 * The crash test of push: a campaign is being sent to a real peer when the server is killed with SIGKILL, again and again. Then
 * what the peer received is compared with the ledger.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { createClient } from "@tidings/client";
import { z } from "zod";
import type { TestProject } from "../harness.ts";
import { type ApnsPeer, startApns } from "../peers/apns.ts";
import { asProject, launchPush, type PushRecords, putCredential, reachable, readRecords } from "../push.ts";
import { randomFrom } from "./random.ts";
import { type CrashServer, createCrashServer } from "./server.ts";

export type PushCrashOptions = {
  kills: number;
  seed: number;
  devices: number;
  say?: (line: string) => void;
};

export type PushCrashReport = {
  accepted: number;
  unknown: number;
  /** Pushes that the peer took beyond the first one of a device. */
  duplicates: number;
  differences: number;
  faults: string[];
};

const Keys = z.object({ projectId: z.string(), publishableKey: z.string(), secretKey: z.string() });
const Diagnosis = z.object({ differences: z.number() });

const LATENCY_MS = 40;
/** A device whose push was unknown twice is tried again after two minutes. */
const FINISHED_WITHIN_MS = 360_000;
/** How long pushes take to be under way, on a slow machine. */
const UNDER_WAY_WITHIN_MS = 25_000;
/** Where the clock goes by itself, what is waited for takes minutes; and each look reads a page of slots. */
const LOOK_EVERY_MS = 2_000;
/** Where it is set, what is due is sent within a second or two. */
const LOOK_AGAIN_MS = 250;
const AT_ONCE = 50;

/** What must not be, in words. */
export function pushFaults({ slots, outcomes }: PushRecords, peer: ApnsPeer): string[] {
  const taken = Map.groupBy(peer.taken, ({ payload }) => payload.tidings.installationId);
  const requests = Map.groupBy(peer.requests, ({ payload }) => payload.tidings.attemptId);
  const ofSlot = Map.groupBy(outcomes, ({ slotId }) => slotId);
  return slots.flatMap(({ id, installationId, state, submissionsUsed }) => {
    const own = ofSlot.get(id) ?? [];
    const unknown = own.filter(({ result }) => result.kind === "unknown").length;
    const arrived = taken.get(installationId)?.length ?? 0;
    const accepted = own.findIndex(({ result }) => result.kind === "accepted");
    return [
      ...(state.kind === "accepted" || state.kind === "closed" ? [] : [`${id} is ${state.kind}`]),
      ...(arrived > 1 + unknown ? [`${id} arrived ${arrived} times with ${unknown} unknown outcomes`] : []),
      ...(accepted >= 0 && accepted < own.length - 1 ? [`${id} was attempted after it was accepted`] : []),
      ...(accepted >= 0 && arrived === 0 ? [`${id} is accepted and never arrived`] : []),
      ...(submissionsUsed > 3 ? [`${id} was submitted ${submissionsUsed} times`] : []),
      ...own.flatMap(({ attemptId }) =>
        (requests.get(attemptId)?.length ?? 0) > 1 ? [`${attemptId} was sent twice`] : [],
      ),
    ];
  });
}

type Slot = PushRecords["slots"][number];

const isFinished = ({ state }: Slot): boolean => state.kind === "accepted" || state.kind === "closed";

/** The clock of the process that sends, where a test can set it. */
export type SendingClock = Pick<CrashServer, "now" | "advanceTo">;

/** Sets the clock to when the first of some slots is due, if nothing is due before and none is under way. */
async function skipWait({ now, advanceTo }: SendingClock, slots: readonly Slot[]): Promise<void> {
  const dueAt = Math.min(
    ...slots.map(({ state }) => {
      if (state.kind === "ready") return state.at;
      return state.kind === "waiting" ? state.recheckAt : now();
    }),
  );
  await advanceTo(dueAt);
}

/**
 * All records of a campaign once every slot is finished, or it takes too long. Until then as little is read as shows that one is not.
 * @param clock is set forward over what slots wait for; without it, they wait in real time
 */
export async function untilFinished(
  project: TestProject,
  id: string,
  clock?: SendingClock,
): Promise<PushRecords> {
  const path = { id };
  const readOpen = async (from: number): Promise<{ page: number; open: Slot[] } | null> => {
    for (let page = from; ; page++) {
      const query = { page, perPage: 100 };
      const { slots, pageCounts } = await project.api.getCampaignPush({ path, query });
      const open = slots.filter((slot) => !isFinished(slot));
      if (open.length > 0) return { page, open };
      if (page >= pageCounts.slots) return null;
    }
  };
  const everyMs = clock === undefined ? LOOK_EVERY_MS : LOOK_AGAIN_MS;
  for (let end = Date.now() + FINISHED_WITHIN_MS, page = 1; Date.now() < end; await sleep(everyMs)) {
    const found = await readOpen(page);
    if (found === null) break;
    page = found.page;
    if (clock !== undefined) await skipWait(clock, found.open);
  }
  return readRecords(project, id);
}

async function run(server: CrashServer, peer: ApnsPeer, options: PushCrashOptions): Promise<PushCrashReport> {
  const { kills, devices, seed, say = () => undefined } = options;
  const random = randomFrom(seed);
  let { url } = await server.start();
  const keys = Keys.parse(JSON.parse(await server.command("project", "create", "--name", "Crash", "--json")));
  const project = () => asProject({ ...keys, agentKey: "" }, url, (key) => createClient(url, key));
  await putCredential(project(), peer.credential);
  for (let from = 0; from < devices; from += AT_ONCE) {
    const some = Array.from({ length: Math.min(AT_ONCE, devices - from) }, (_, n) => `user-${from + n}`);
    await Promise.all(some.map((userId) => reachable(project(), userId)));
  }
  const { id } = await launchPush(project());
  for (let kill = 0; kill < kills; kill++) {
    const before = peer.requests.length;
    const until = Date.now() + UNDER_WAY_WITHIN_MS;
    while (peer.requests.length === before && Date.now() < until) await sleep(1);
    await sleep(random.between(5, 150));
    const all = random.chance(0.5);
    await server.kill(all ? "node+postgres" : "node", { first: "node", gapMs: 0 });
    say(`killed ${all ? "all" : "node"} after ${peer.requests.length} pushes`);
    ({ url } = await server.start());
  }
  const records = await untilFinished(project(), id, server);
  const { differences } = Diagnosis.parse(JSON.parse(await server.command("doctor", "--json")));
  const devicesTaken = new Set(peer.taken.map(({ payload }) => payload.tidings.installationId)).size;
  return {
    accepted: records.slots.filter(({ state }) => state.kind === "accepted").length,
    unknown: records.outcomes.filter(({ result }) => result.kind === "unknown").length,
    duplicates: peer.taken.length - devicesTaken,
    differences,
    faults: [
      ...(records.slots.length === devices ? [] : [`${records.slots.length} of ${devices} devices`]),
      ...pushFaults(records, peer),
    ],
  };
}

/** Sends a campaign to devices while the server is killed some times; reports what the peer and the ledger say. */
export async function crashPush(options: PushCrashOptions): Promise<PushCrashReport> {
  // The peer looks at how old the server's tokens are, so it goes by the same clock.
  let now: () => number = Date.now;
  const peer = await startApns({ latencyMs: LATENCY_MS, clock: () => now() });
  const server = await createCrashServer({ APNS_URL: peer.url, NODE_EXTRA_CA_CERTS: peer.caFile });
  now = server.now;
  try {
    return await run(server, peer, options);
  } finally {
    await server.dispose();
    await peer.close();
  }
}

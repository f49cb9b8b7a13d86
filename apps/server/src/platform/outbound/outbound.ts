import type { Loop } from "../loops/loops.ts";
import { processes } from "../loops/processes.ts";
import { projectLoop } from "../loops/project-loop.ts";
import { type App, type Resource, resource } from "../runtime.ts";
import type { Look } from "../time/far-ahead.ts";
import { createBackoffs } from "./backoff.ts";
import type { DueQueue, Lease, OutboundChannel } from "./channel.ts";
import { type Leasing, Turn, type TurnResult } from "./turn.ts";

/** The most lost leases that are recorded at once. */
const REAPED_AT_ONCE = 500;
const REAP_EVERY_MS = 2_000;

type Outbound<Leased> = {
  sendLoop: Loop;
  reapLoop: Loop;
  inFlight: Resource<Set<Leased>>;
  /** Sends what is due of one project, until nothing is; for a process that runs no loops. */
  sendNow(app: App, projectId: string): Promise<void>;
};

/**
 * The loops of a channel. `sendLoop` sends due messages, project by project, and stores why nothing leaves, for people to read.
 * `reapLoop` records that the reply is unknown where a lease ended without one; such a message is not sent again by itself. `inFlight`
 * has the messages that this process is sending.
 */
export function outbound<
  Due extends DueQueue,
  Leased extends Lease,
  Prepared extends NonNullable<unknown>,
  Reply,
  Lost extends { projectId: string; leaseOwner: string },
>(channel: OutboundChannel<Due, Leased, Prepared, Reply, Lost>): Outbound<Leased> {
  const inFlight = resource(() => new Set<Leased>());
  const leasing = resource((): Leasing => ({ begun: 0, underWay: 0 }));
  const projectBackoffs = resource((app) => createBackoffs(app.clock));
  const queueBackoffs = resource((app) => createBackoffs(app.clock));
  const keyOf = ({ projectId, queueId }: Due): string => (channel.turnsOf === "queue" ? queueId : projectId);

  async function sendDue(
    app: App,
    projectId: string,
    due: readonly Due[],
    signal: AbortSignal,
  ): Promise<TurnResult> {
    const turn = await channel.open(app, projectId, due);
    if ("fault" in turn) return { didSomething: false, fault: turn.fault, brokenQueues: new Set() };
    const mayLease = async () => (await channel.pauseReason(app, projectId)) === null;
    const parts = {
      projectId,
      due,
      channel: turn,
      mayLease,
      inFlight: app.get(inFlight),
      leasing: app.get(leasing),
      signal,
    };
    return new Turn(app, parts).run();
  }

  /** A turn of a project, or of one of its queues: all of `due` is of that. */
  async function turn(app: App, due: readonly Due[], signal: AbortSignal): Promise<boolean> {
    const [first] = due;
    if (first === undefined) return false;
    const { projectId } = first;
    const projects = app.get(projectBackoffs);
    const queues = app.get(queueBackoffs);
    const queueIds = [...new Set(due.map(({ queueId }) => queueId))];
    const paused = await channel.pauseReason(app, projectId);
    if (paused !== null) {
      await channel.reportFault(app, projectId, queueIds, paused);
      return false;
    }
    const { didSomething, fault, brokenQueues } = await sendDue(app, projectId, due, signal);
    const [broken, working] = [
      queueIds.filter((id) => brokenQueues.has(id)),
      queueIds.filter((id) => !brokenQueues.has(id)),
    ];
    for (const id of broken) queues.backOff(id);
    for (const id of working) queues.clear(id);
    await channel.reportFault(app, projectId, broken, channel.queueFault);
    await channel.reportFault(app, projectId, working, fault);
    if (fault === null) projects.clear(keyOf(first));
    else projects.backOff(keyOf(first));
    return didSomething;
  }

  /** What backs off is due when that is over. */
  async function findDue(app: App, look: Look): Promise<Due[]> {
    const [projects, queues] = [app.get(projectBackoffs), app.get(queueBackoffs)];
    const found = await channel.findDue(app, look);
    return found.map((due) => ({
      ...due,
      dueAt: Math.max(due.dueAt, projects.until(keyOf(due)), queues.until(due.queueId)),
    }));
  }

  const sendLoop = projectLoop<Due>({
    name: `send ${channel.name}`,
    keyOf,
    find: findDue,
    turn: (app, _key, due, signal) => turn(app, due, signal),
  });

  async function sendNow(app: App, projectId: string): Promise<void> {
    const { signal } = new AbortController();
    for (let goesOn = true; goesOn; ) {
      const now = app.clock();
      const found = await findDue(app, { now, until: now });
      const due = found.filter((each) => each.projectId === projectId && each.dueAt <= now);
      goesOn = due.length > 0 && (await turn(app, due, signal));
    }
  }

  const reapLoop = projectLoop<Lost>({
    name: `reap ${channel.name}`,
    restMs: REAP_EVERY_MS,
    async find(app, { now, busy }) {
      const { leaseOwner, reapable } = app.get(processes);
      const [own, { begun, underWay }] = [leaseOwner(), app.get(leasing)];
      const lost = await channel.findLost(app, {
        now,
        reapable: reapable(),
        leaseOwner: own,
        inFlight: [...app.get(inFlight)],
        isLeasing: underWay > 0,
        busy,
        limit: REAPED_AT_ONCE,
      });
      // What this process leased meanwhile may be among them, though it is about to be sent.
      return app.get(leasing).begun === begun ? lost : lost.filter((each) => each.leaseOwner !== own);
    },
    async turn(app, projectId, lost) {
      await channel.recordLost(app, projectId, lost);
      return true;
    },
  });

  return { sendLoop, reapLoop, inFlight, sendNow };
}

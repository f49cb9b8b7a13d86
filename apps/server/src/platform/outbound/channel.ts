import type { App } from "../runtime.ts";
import type { Look } from "../time/far-ahead.ts";

/** Messages of one project that leave one after the other, such as those of a campaign. */
export type Queue = { projectId: string; queueId: string };

/** A queue in which messages are due from an instant on (epoch milliseconds). */
export type DueQueue = Queue & { dueAt: number };

/** A message that, until an instant (epoch ms), only the process with this lease owner may send. */
export type Lease = { leaseOwner: string; leasedUntil: number };

/**
 * Why a leased message is released unsent. `stopped`: its queue was paused, has ended, has changed or cannot be sent. `late`: the lease
 * is another process' by now, or too short for the time that sending may take.
 */
export type Unsent = "stopped" | "late";

/**
 * The steps of one turn of one project, with settings and texts as they were when it began. The engine calls, for each leased message,
 * `prepare`, `begin`, `send`, `record`; or `release` instead of the remaining ones.
 */
export type ChannelTurn<Due, Leased extends Lease, Prepared extends NonNullable<unknown>, Reply> = {
  /** Messages in flight at once. */
  inFlight: number;
  /** When fewer than so many are ready to be sent, more are leased. */
  leaseAhead: number;
  /** Replies that may wait for being recorded while other messages leave. */
  recordBehind: number;
  /** The longest that sending one message takes (ms): a lease that has less left is released. */
  sendMs: number;
  /** Whether leased messages are still sent when the process stops, because their attempts are recorded already. */
  finishesLeased: boolean;
  /** Leases due messages of a queue, and ends or defers those that may not leave, in one transaction. `looked`: the number of both. */
  lease(due: Due, leaseOwner: string): Promise<{ leased: Leased[]; looked: number }>;
  /** Composes the message, or what says that it cannot be sent; never null. `outdated`: it needs another text than this turn has. @throws where the queue cannot be sent at all */
  prepare(leased: Leased): Promise<Prepared | "outdated">;
  /** The last check before the first byte. Answers the ordinal of the attempt, which is recorded by then. */
  begin(leased: Leased, prepared: Prepared): Promise<number | "refused" | "outdated">;
  send(leased: Leased, prepared: Prepared): Promise<Reply>;
  /** Why a reply means that the project can send nothing more now, in words for people; null where it does not. */
  faultOf(reply: Reply): string | null;
  /** Records the outcome of an attempt. */
  record(leased: Leased, ordinal: number, reply: Reply): Promise<void>;
  /** Releases a message of which nothing left. `ordinal` is null where its attempt did not begin. */
  release(leased: Leased, ordinal: number | null, why: Unsent): Promise<void>;
  /** Releases a message of which nothing left after `begin` failed: its attempt may be recorded or not. */
  revoke(leased: Leased): Promise<void>;
};

/** The state of a process that looks for lost leases. */
export type Reaping<Leased> = {
  /**
   * Epoch milliseconds: leases that ended before are lost, but for those of other processes that are alive. Their clocks may differ, and each
   * looks after its own.
   */
  now: number;
  /** This process' lease owner; the leases of processes that are gone are lost too. Null: this process cannot tell now which are gone. */
  reapable: string | null;
  /** The owner of this process' leases, and the leases that it is sending now, which are not lost. */
  leaseOwner: string;
  inFlight: readonly Leased[];
  /** Whether it is leasing messages that may not be among those in flight yet. */
  isLeasing: boolean;
  /** Projects that are being reaped already. */
  busy: readonly string[];
  limit: number;
};

/** A channel in which messages leave: email, push. Each has its own tables; the engine is the same for all. */
export type OutboundChannel<
  Due extends DueQueue,
  Leased extends Lease,
  Prepared extends NonNullable<unknown>,
  Reply,
  Lost extends { projectId: string; leaseOwner: string },
> = {
  name: string;
  /** What has turns of its own, so that it waits for no other: each project, or each of its queues. */
  turnsOf?: "project" | "queue";
  /** Queues of all projects that have messages due and may send them; also those in which the first come due soon. */
  findDue(app: App, look: Look): Promise<Due[]>;
  /** Why a project may send nothing now, in words for people; null where it may. Called before every lease. */
  pauseReason(app: App, projectId: string): Promise<string | null>;
  /** Opens a turn of a project or queue, or answers the fault that people have to mend first. */
  open(
    app: App,
    projectId: string,
    due: readonly Due[],
  ): Promise<ChannelTurn<Due, Leased, Prepared, Reply> | { fault: string }>;
  /** The words for people where one queue fails by itself. */
  queueFault: string;
  /** Stores for people why nothing leaves of some queues; null removes it. */
  reportFault(app: App, projectId: string, queueIds: readonly string[], fault: string | null): Promise<void>;
  /** Leases of all projects that ended without a recorded reply, or whose process is gone. */
  findLost(app: App, reaping: Reaping<Leased>): Promise<Lost[]>;
  /** Records for a project that the outcome of these leases is unknown. */
  recordLost(app: App, projectId: string, lost: readonly Lost[]): Promise<void>;
};

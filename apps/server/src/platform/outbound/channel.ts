import type { App } from "../runtime.ts";

/** A queue of one project in which messages are due, such as those of a campaign. */
export type DueQueue = { projectId: string; queueId: string };

/** A message that only one process may send, until an instant (epoch ms): that which has this lease owner. */
export type Lease = { leaseOwner: string; leasedUntil: number };

/**
 * Why a leased message is released unsent: `stopped` says that its queue was paused, has ended, changed or cannot be sent; `late` that
 * the lease is another process' by now, or too short for what sending may take.
 */
export type Unsent = "stopped" | "late";

/**
 * What one turn of one project sends with, as settings and texts are when it begins. The engine calls, for each leased message:
 * `prepare`, `begin`, `send`, `record`; or `release` instead of what is left.
 */
export type ChannelTurn<Due, Leased extends Lease, Prepared, Reply> = {
  /** Messages in flight at once. */
  inFlight: number;
  /** When fewer than so many are ready to be sent, more are leased. */
  leaseAhead: number;
  /** Replies that may wait for being recorded while other messages leave. */
  recordBehind: number;
  /** The longest that sending one message takes (ms): a lease that has less left is released. */
  sendMs: number;
  /** Whether what is leased still leaves when the process stops, because its attempts are recorded already. */
  finishesLeased: boolean;
  /** Leases due messages of a queue, and decides about those that may not leave now, in one transaction. `looked`: how many both are. */
  lease(due: Due, leaseOwner: string): Promise<{ leased: Leased[]; looked: number }>;
  /** Writes what is sent. `outdated`: by another text than this turn knows. @throws where the queue cannot be sent at all */
  prepare(leased: Leased): Promise<Prepared | "outdated">;
  /** The last look before the first byte. Answers the ordinal of the attempt, which is recorded by now. */
  begin(leased: Leased, prepared: Prepared): Promise<number | "refused" | "outdated">;
  send(leased: Leased, prepared: Prepared): Promise<Reply>;
  /** What a reply says against sending anything more of this project now, as people read it; null: nothing. */
  faultOf(reply: Reply): string | null;
  /** Records what came of an attempt. */
  record(leased: Leased, ordinal: number, reply: Reply): Promise<void>;
  /** Gives a message back of which nothing left. `ordinal` is null where its attempt did not begin. */
  release(leased: Leased, ordinal: number | null, why: Unsent): Promise<void>;
  /** Gives a message back of which nothing left, where `begin` failed: its attempt may be recorded or not. */
  revoke(leased: Leased): Promise<void>;
};

/** What a process knows when it looks for leases that are lost. */
export type Reaping<Leased> = {
  /** Epoch milliseconds: leases that ended before are lost. */
  now: number;
  /** This process' lease owner: leases of every other one whose process is gone are lost. Null: this process may not tell now whose is. */
  reapable: string | null;
  /** The owner of this process' leases, and which of these it is sending. */
  leaseOwner: string;
  inFlight: readonly Leased[];
  /** Projects that are being reaped already. */
  busy: readonly string[];
  limit: number;
};

/** A way in which messages leave: email, push. The ledgers are the channel's own; the machine is the same for all. */
export type Channel<
  Due extends DueQueue,
  Leased extends Lease,
  Prepared,
  Reply,
  Lost extends { projectId: string },
> = {
  name: string;
  /** Queues of all projects that may send now and have messages due. */
  findDue(app: App, now: number): Promise<Due[]>;
  /** Why a project may send nothing now, as people read it; null: it may. Asked before every lease. */
  pauseReason(app: App, projectId: string): Promise<string | null>;
  /** Opens what a turn of a project sends with, or says what people have to mend first. */
  open(
    app: App,
    projectId: string,
    due: readonly Due[],
  ): Promise<ChannelTurn<Due, Leased, Prepared, Reply> | { fault: string }>;
  /** What people read where a queue fails by itself. */
  queueFault: string;
  /** Keeps, or forgets (null), why nothing leaves of some queues, for people to read. */
  reportFault(app: App, projectId: string, queueIds: readonly string[], fault: string | null): Promise<void>;
  /** Leases of all projects that ended without a recorded reply, or whose process is gone. */
  findLost(app: App, reaping: Reaping<Leased>): Promise<Lost[]>;
  /** Records, for a project, that nobody knows what came of them. */
  recordLost(app: App, projectId: string, lost: readonly Lost[]): Promise<void>;
};

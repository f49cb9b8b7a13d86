import { isUnreachable } from "../db/db.ts";
import { processes } from "../loops/processes.ts";
import type { App } from "../runtime.ts";
import { allEnded } from "./all-ended.ts";
import type { ChannelTurn, DueQueue, Lease, Unsent } from "./channel.ts";
import { Leases } from "./leases.ts";

/** How long a turn sends before the settings and queues of its project are read again. */
const TURN_MS = 5_000;

/** The result of a turn: whether there was anything to do, why the project cannot go on (null: it can), and which of its queues cannot. */
export type TurnResult = { didSomething: boolean; fault: string | null; brokenQueues: ReadonlySet<string> };

/** How often a process has begun to lease messages of a channel, and how often it is doing so now. */
export type Leasing = { begun: number; underWay: number };

/** The parameters of a turn. `inFlight` and `leasing` are shared with the loop that looks for lost leases. */
export type TurnOf<Due, Leased extends Lease, Prepared extends NonNullable<unknown>, Reply> = {
  projectId: string;
  due: readonly Due[];
  channel: ChannelTurn<Due, Leased, Prepared, Reply>;
  mayLease: () => Promise<boolean>;
  inFlight: Set<Leased>;
  leasing: Leasing;
  signal: AbortSignal;
};

type Ready<Leased> = { leased: Leased; queueId: string };

/** One turn of one project: several workers each take one leased message after the other, and see it from the lease to the reply. */
export class Turn<Due extends DueQueue, Leased extends Lease, Prepared extends NonNullable<unknown>, Reply> {
  readonly #app: App;
  readonly #parts: TurnOf<Due, Leased, Prepared, Reply>;
  readonly #due: Due[];
  readonly #until = performance.now() + TURN_MS;
  readonly #leases: Leases<Ready<Leased>>;
  /** Messages that this turn has leased and none of its workers has taken yet. */
  readonly #untaken = new Set<Leased>();
  readonly #recording = new Set<Promise<void>>();
  readonly #brokenQueues = new Set<string>();
  #didSomething = false;
  #fault: string | null = null;
  /** A queue has other texts than this turn has read: the turn ends, and the next one reads them. */
  #isOutdated = false;

  constructor(app: App, parts: TurnOf<Due, Leased, Prepared, Reply>) {
    this.#app = app;
    this.#parts = parts;
    this.#due = [...parts.due];
    this.#leases = new Leases(() => this.#lease(), parts.channel.leaseAhead);
  }

  async run(): Promise<TurnResult> {
    const hands = Array.from({ length: this.#parts.channel.inFlight }, () => this.#work());
    await Promise.allSettled(hands);
    await this.#leases.end();
    const recording = [...this.#recording];
    await Promise.allSettled(recording);
    // All workers may have failed before they took these.
    await Promise.allSettled([...this.#untaken].map((each) => this.#release(each, null, "stopped")));
    await allEnded([...hands, ...recording]);
    return { didSomething: this.#didSomething, fault: this.#fault, brokenQueues: this.#brokenQueues };
  }

  /** Leases messages of a queue; from then on they are in flight. */
  async #leaseOf(due: Due): Promise<{ leased: Leased[]; looked: number }> {
    const { channel, inFlight, leasing } = this.#parts;
    leasing.begun++;
    leasing.underWay++;
    try {
      const found = await channel.lease(due, this.#app.get(processes).leaseOwner());
      for (const each of found.leased) {
        this.#untaken.add(each);
        inFlight.add(each);
      }
      return found;
    } finally {
      leasing.underWay--;
    }
  }

  /** The next messages, one queue after the other; null when nothing is due, the time is over, or nothing may leave. */
  async #lease(): Promise<Ready<Leased>[] | null> {
    const { mayLease } = this.#parts;
    for (;;) {
      const due = this.#due.shift();
      if (due === undefined || this.#isStopped() || performance.now() >= this.#until) return null;
      const { queueId } = due;
      if (this.#brokenQueues.has(queueId)) continue;
      // A project that is stopped during a turn stops at once, not at the turn's end.
      if (!(await mayLease())) return null;
      const { leased, looked } = await this.#leaseOf(due).catch((cause: unknown) => {
        // An unreachable database is not this queue's fault.
        if (isUnreachable(cause)) throw cause;
        this.#leaveAlone(queueId, cause);
        return { leased: [], looked: 0 };
      });
      if (looked > 0) {
        this.#due.push(due);
        this.#didSomething = true;
      }
      if (leased.length > 0) return leased.map((each) => ({ leased: each, queueId }));
    }
  }

  /** Whether nothing more may be leased in this turn. */
  #isStopped(): boolean {
    return this.#fault !== null || this.#isOutdated || this.#parts.signal.aborted;
  }

  /** Goes on without a queue that fails by itself, so that the others of the project are sent. */
  #leaveAlone(queueId: string, cause: unknown): void {
    const { projectId } = this.#parts;
    this.#app.log.error({ err: cause, projectId, queueId }, "a queue cannot be sent; it will be tried again");
    this.#brokenQueues.add(queueId);
  }

  async #work(): Promise<void> {
    try {
      for (let next = await this.#leases.take(); next !== null; next = await this.#leases.take()) {
        const { leased } = next;
        this.#untaken.delete(leased);
        await this.#send(next).catch((cause: unknown) => {
          this.#parts.inFlight.delete(leased);
          throw cause;
        });
      }
    } finally {
      this.#leases.close();
    }
  }

  /** The last step of a message: it is in flight until `done` has ended, well or not. */
  async #finish(leased: Leased, done: Promise<void>): Promise<void> {
    try {
      await done;
    } finally {
      this.#parts.inFlight.delete(leased);
    }
  }

  #release(leased: Leased, ordinal: number | null, why: Unsent): Promise<void> {
    return this.#finish(leased, this.#parts.channel.release(leased, ordinal, why));
  }

  /** Whether a message's lease leaves enough time to send it. A lease that ends before the reply would be recorded as unknown. */
  #isInTime({ leaseOwner, leasedUntil }: Leased): boolean {
    return (
      this.#app.clock() <= leasedUntil - this.#parts.channel.sendMs &&
      this.#app.get(processes).ownsLease(leaseOwner)
    );
  }

  async #prepare({ leased, queueId }: Ready<Leased>): Promise<Prepared | null> {
    try {
      const prepared = await this.#parts.channel.prepare(leased);
      if (prepared !== "outdated") return prepared;
      this.#isOutdated = true;
    } catch (cause) {
      this.#leaveAlone(queueId, cause);
    }
    return null;
  }

  /** The ordinal of the attempt that begins; null where none does. */
  async #begin(leased: Leased, prepared: Prepared): Promise<number | null> {
    const { channel } = this.#parts;
    try {
      const ordinal = await channel.begin(leased, prepared);
      if (ordinal === "outdated") this.#isOutdated = true;
      return typeof ordinal === "number" ? ordinal : null;
    } catch (cause) {
      // This process leases nothing until the message is released: it could otherwise lease that message again under the same owner, and
      // then revoke the new attempt.
      await this.#leases.end();
      await this.#finish(leased, channel.revoke(leased));
      throw cause;
    }
  }

  async #send(ready: Ready<Leased>): Promise<void> {
    const { leased, queueId } = ready;
    const { channel } = this.#parts;
    const isStopped = this.#isStopped() && !channel.finishesLeased;
    if (isStopped || this.#brokenQueues.has(queueId)) return this.#release(leased, null, "stopped");
    if (!this.#isInTime(leased)) return this.#release(leased, null, "late");
    const prepared = await this.#prepare(ready);
    if (prepared === null) return this.#release(leased, null, "stopped");
    const ordinal = await this.#begin(leased, prepared);
    // The next lease decides about the message. If another process has it by now, this changes nothing.
    if (ordinal === null) return this.#release(leased, null, "stopped");
    // This process may have been suspended for so long that others recorded the message as unknown, and a person sent it again.
    if (!this.#isInTime(leased)) return this.#release(leased, ordinal, "late");
    const reply = await channel.send(leased, prepared);
    const fault = channel.faultOf(reply);
    if (fault !== null) {
      this.#fault = fault;
      this.#leases.close();
    }
    await this.#record(leased, ordinal, reply);
  }

  /** Records a reply in the background, while the worker goes on with another message, unless too many replies wait already. */
  async #record(leased: Leased, ordinal: number, reply: Reply): Promise<void> {
    const { channel } = this.#parts;
    const recording = this.#finish(leased, channel.record(leased, ordinal, reply));
    this.#recording.add(recording);
    recording.then(
      () => this.#recording.delete(recording),
      // The failed promise stays in the list, which the end of the turn checks.
      () => this.#leases.close(),
    );
    if (this.#recording.size > channel.recordBehind) await recording;
  }
}

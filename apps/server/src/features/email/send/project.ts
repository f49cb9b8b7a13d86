import { allEnded, Claims } from "../../../platform/claims.ts";
import { isUnreachable } from "../../../platform/db/db.ts";
import { processes } from "../../../platform/processes.ts";
import type { App } from "../../../platform/runtime.ts";
import { ANSWER_MS } from "../../transport/public.ts";
import type { Reply } from "../../transport/reply.ts";
import { servingOf } from "../../usage/public.ts";
import type { Sender } from "../open-sender.ts";
import { type Content, readVariants } from "../variants-store.ts";
import { giveBack, letGo, settleAttempt, takeBack, writeMessage } from "./attempt.ts";
import { beginSend, type Claimed, claimSends, inHand } from "./claim.ts";

/** How long one turn of a project sends before its settings and campaigns are read again. */
const TURN_MS = 5_000;
/** Messages under way per connection: while one is on the wire, another one's attempt or outcome is being written. */
const HANDS_PER_CONNECTION = 2;

/** Whether the server itself is in the way, so that every further message would meet the same. */
const isInTheWay = (reply: Reply): boolean =>
  (reply.kind === "deferred" || reply.kind === "rejected") &&
  (reply.stage === "connection" || reply.stage === "sender");

/**
 * What a turn came to: whether there was anything to do, why the project could not go on, where it could not, and which campaigns
 * could not, each for itself.
 */
export type Turn = { didSomething: boolean; fault: string | null; brokenCampaigns: ReadonlySet<string> };

/** One turn of one project: many hands take claimed messages, each from its attempt to its outcome. */
class ProjectTurn {
  readonly #app: App;
  readonly #sender: Sender;
  readonly #content: ReadonlyMap<string, Content>;
  readonly #due: string[];
  readonly #signal: AbortSignal;
  readonly #until = performance.now() + TURN_MS;
  readonly #claims: Claims<Claimed>;
  readonly #hands: number;
  readonly #brokenCampaigns = new Set<string>();
  readonly #turn: Turn = { didSomething: false, fault: null, brokenCampaigns: this.#brokenCampaigns };
  /** A campaign says something else than what this turn has read: the next turn reads it. */
  #isOutdated = false;

  constructor(
    app: App,
    sender: Sender,
    campaigns: { ids: readonly string[]; content: ReadonlyMap<string, Content> },
    signal: AbortSignal,
  ) {
    this.#app = app;
    this.#sender = sender;
    this.#content = campaigns.content;
    this.#due = [...campaigns.ids];
    this.#signal = signal;
    this.#hands = sender.transport.connections * HANDS_PER_CONNECTION;
    this.#claims = new Claims(() => this.#claim(), this.#hands);
  }

  async run(): Promise<Turn> {
    try {
      await allEnded(Array.from({ length: this.#hands }, () => this.#work()));
    } finally {
      await this.#claims.end();
      // Where all hands failed, there may be messages that nobody took. A project has one turn at a time.
      const { projectId } = this.#sender;
      const left = [...this.#app.get(inHand)].filter((each) => each.projectId === projectId);
      await Promise.allSettled(left.map((each) => this.#finish(each, this.#letGo(each))));
    }
    return this.#turn;
  }

  /** The next messages, one campaign after the other; null when nothing is due, the time is over, or nothing gets through. */
  async #claim(): Promise<Claimed[] | null> {
    const { projectId, settings } = this.#sender;
    for (;;) {
      const campaignId = this.#due.shift();
      if (campaignId === undefined || this.#isStopped() || performance.now() >= this.#until) return null;
      if (this.#brokenCampaigns.has(campaignId)) continue;
      // Whoever closes serving does not wait for the end of a turn.
      if ((await servingOf(this.#app, projectId)).emailServing !== "ok") return null;
      const claimant = { projectId, settings, fence: this.#app.get(processes).leaseOwner() };
      const { claimed, looked } = await claimSends(this.#app, claimant, campaignId).catch(
        (cause: unknown) => {
          // A database that is away is not this campaign's fault.
          if (isUnreachable(cause)) throw cause;
          this.#leaveAlone(campaignId, cause);
          return { claimed: [], looked: 0 };
        },
      );
      if (looked > 0) {
        this.#due.push(campaignId);
        this.#turn.didSomething = true;
      }
      for (const each of claimed) this.#app.get(inHand).add(each);
      if (claimed.length > 0) return claimed;
    }
  }

  /** Whether nothing more may leave in this turn. */
  #isStopped(): boolean {
    return this.#turn.fault !== null || this.#isOutdated || this.#signal.aborted;
  }

  /** Goes on without a campaign that fails by itself, so that the others of the project are sent. */
  #leaveAlone(campaignId: string, cause: unknown): void {
    const { projectId } = this.#sender;
    this.#app.log.error(
      { err: cause, projectId, campaignId },
      "a campaign cannot be sent; it will be tried again",
    );
    this.#brokenCampaigns.add(campaignId);
  }

  async #work(): Promise<void> {
    try {
      for (let next = await this.#claims.take(); next !== null; next = await this.#claims.take())
        await this.#finish(next, this.#send(next));
    } finally {
      this.#claims.close();
    }
  }

  /** Has a message in hand until what is done with it has come to an end. */
  async #finish(claimed: Claimed, done: Promise<unknown>): Promise<void> {
    try {
      await done;
    } finally {
      this.#app.get(inHand).delete(claimed);
    }
  }

  async #letGo(claimed: Claimed): Promise<void> {
    await letGo(this.#app, this.#sender, claimed);
  }

  /** The message as it is sent; null where it cannot be written, and then its campaign is left alone. */
  async #write(claimed: Claimed, { message }: Content): Promise<Buffer | null> {
    try {
      return await writeMessage(this.#app, this.#sender, message, claimed);
    } catch (cause) {
      this.#leaveAlone(claimed.campaignId, cause);
      return null;
    }
  }

  async #send(claimed: Claimed): Promise<void> {
    const content = this.#content.get(claimed.variantId);
    // A variant that was added since this turn began.
    if (content === undefined) this.#isOutdated = true;
    // What takes too long to come to an answer would be given up as unknown: it is not begun.
    const isLate = this.#app.clock() > claimed.claimedUntil - 2 * ANSWER_MS;
    const { ownsLease } = this.#app.get(processes);
    const isHeld = this.#isStopped() || this.#brokenCampaigns.has(claimed.campaignId) || isLate;
    if (content === undefined || isHeld || !ownsLease(claimed.fence)) return this.#letGo(claimed);
    const raw = await this.#write(claimed, content);
    if (raw === null) return this.#letGo(claimed);
    const { ordinal, isOutdated } = await beginSend(this.#app, claimed, content.version).catch(
      async (cause: unknown) => {
        // Nobody here may claim it anew before it is known how it was let go: an attempt under the same fence would be taken back.
        await this.#claims.end();
        await takeBack(this.#app, this.#sender, claimed);
        throw cause;
      },
    );
    if (ordinal === null) {
      if (isOutdated) this.#isOutdated = true;
      // The next claim decides about it. Where somebody else has it by now, this changes nothing.
      return this.#letGo(claimed);
    }
    // Stopped since then for so long that others have given it up as unknown: a person may have sent it again.
    if (!ownsLease(claimed.fence)) return giveBack(this.#app, this.#sender, { claimed, ordinal });
    const envelope = { from: this.#sender.from.address, to: claimed.address };
    const reply = await this.#sender.transport.send(envelope, raw);
    if (isInTheWay(reply)) {
      this.#turn.fault = reply.response;
      this.#claims.close();
    }
    await settleAttempt(this.#app, this.#sender, { claimed, ordinal }, reply);
  }
}

/** Sends what is due of a project's campaigns, until nothing is, its turn is over, or its server cannot be reached. */
export async function sendProject(
  app: App,
  sender: Sender,
  campaignIds: readonly string[],
  signal: AbortSignal,
): Promise<Turn> {
  const content = await readVariants(app.database.kysely, sender.projectId, campaignIds);
  return new ProjectTurn(app, sender, { ids: campaignIds, content }, signal).run();
}

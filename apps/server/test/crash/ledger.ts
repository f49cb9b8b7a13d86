import type { Answer, Client } from "@tidings/client";

export type FeedbackType = "shown" | "clicked" | "dismissed";

/** A tracked event. `marker` is in its props, and is its eventId where it has one: so no two are alike. */
export type EventWrite = {
  marker: string;
  userId: string;
  event: string;
  hasId: boolean;
  round: number;
  /** Deliveries it converts: those whose exposure was acknowledged before it was first sent. Null until then. */
  due: readonly string[] | null;
  acknowledged: boolean;
};

export type FeedbackWrite = {
  feedbackId: string;
  deliveryId: string;
  userId: string;
  type: FeedbackType;
  round: number;
  /** What was acknowledged, or null. */
  receipt: Answer<"sendDeliveryFeedback"> | null;
};

/** A value with one writer: what was acknowledged last, and what may have taken its place since. */
export type Register = { known: string | null; pending: string | null };

/** A write of the management API, under an Idempotency-Key of its own. */
export type ManagementWrite = {
  key: string;
  method: "POST" | "PATCH";
  path: string;
  body: Record<string, unknown>;
  /** What was acknowledged, or null. */
  answer: unknown;
};

export type CampaignRecord = {
  owner: string;
  /** Key of its creation, and title of its message, which never changes. */
  marker: string;
  hasGoal: boolean;
  /** Null until its creation was acknowledged. */
  id: string | null;
  name: Register;
  status: Register;
  /** The write that is under way, or was when the server died. */
  pending: ManagementWrite | null;
};

export type HandedOut = { deliveryId: string; userId: string; campaignId: string; variantId: string };

export type FaultKind = "lost" | "doubled" | "wrong";

/** What must not be. One that is found again in a later round is still one. */
export class Faults {
  readonly #found = new Map<string, FaultKind>();

  add(kind: FaultKind, text: string): void {
    this.#found.set(text, kind);
  }

  count(kind: FaultKind): number {
    return [...this.#found.values()].filter((each) => each === kind).length;
  }

  get list(): string[] {
    return [...this.#found].map(([text, kind]) => `${kind}: ${text}`);
  }
}

/** Everything that was asked of the server and what it acknowledged, over all rounds. */
export class Ledger {
  readonly events = new Map<string, EventWrite>();
  readonly feedback = new Map<string, FeedbackWrite>();
  /** By user, then by trait. */
  readonly traits = new Map<string, Map<string, Register>>();
  readonly campaigns = new Map<string, CampaignRecord>();
  /** Acknowledged writes of the management API. */
  readonly managed: ManagementWrite[] = [];
  /** By delivery id. */
  readonly handedOut = new Map<string, HandedOut>();
  /** Users whose messages were asked for, and users who were named at all. */
  readonly readers = new Set<string>();
  readonly users = new Set<string>();
  /** Deliveries whose conversion was acknowledged: shown first, then the goal's event. */
  readonly converted = new Set<string>();
  readonly goalCampaigns = new Set<string>();
  /** Users that each visitor has been so far. */
  readonly visits = new Map<string, number>();
  identified = 0;

  readonly #shown = new Map<string, Set<string>>();

  trait(userId: string, name: string): Register {
    const traits = this.traits.get(userId) ?? new Map<string, Register>();
    this.traits.set(userId, traits);
    const register = traits.get(name) ?? { known: null, pending: null };
    traits.set(name, register);
    return register;
  }

  /** A message that a user was given: always the same delivery and variant for the same campaign. */
  handOut(userId: string, message: Answer<"getMessages">["messages"][number], faults: Faults): void {
    const { deliveryId, campaignId, variantId } = message;
    const before = this.handedOut.get(deliveryId);
    if (before !== undefined && (before.userId !== userId || before.variantId !== variantId)) {
      faults.add("wrong", `delivery ${deliveryId} of ${userId} changed its variant or user`);
    }
    this.handedOut.set(deliveryId, { deliveryId, userId, campaignId, variantId });
  }

  acknowledgeFeedback(write: FeedbackWrite, receipt: Answer<"sendDeliveryFeedback">, faults: Faults): void {
    if (write.receipt !== null && write.receipt.receiptId !== receipt.receiptId) {
      faults.add("doubled", `feedback ${write.feedbackId} has two receipts`);
    }
    write.receipt = receipt;
    const campaignId = this.handedOut.get(write.deliveryId)?.campaignId ?? "";
    if (write.type !== "shown" || !this.goalCampaigns.has(campaignId)) return;
    const shown = this.#shown.get(write.userId) ?? new Set<string>();
    this.#shown.set(write.userId, shown.add(write.deliveryId));
  }

  /** Deliveries that the goal's event of this user converts from now on. */
  convertible(userId: string): string[] {
    return [...(this.#shown.get(userId) ?? [])];
  }
}

/** What the clients of one round share. */
export type World = {
  url: string;
  secretKey: string;
  projectId: string;
  goalId: string;
  sdk: Client;
  ledger: Ledger;
  faults: Faults;
  round: number;
  /** Set the moment before the first process is killed: from then on a request may stay unanswered. */
  killed: boolean;
  /** Something is being killed all the time: any request may stay unanswered. */
  restless: boolean;
};

/** Sends; answers null when no success was received in full, which only a kill may cause. */
export async function attempt<T>(world: World, what: string, send: () => Promise<T>): Promise<T | null> {
  try {
    return await send();
  } catch (error) {
    if (!world.killed && !world.restless) {
      const { cause } = error as Error;
      world.faults.add("wrong", `${what} was refused though nobody was killed: ${error} ${cause ?? ""}`);
    }
    return null;
  }
}

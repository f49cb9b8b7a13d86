import { allEnded } from "../../../../platform/outbound/all-ended.ts";
import type { ChannelTurn, DueQueue } from "../../../../platform/outbound/channel.ts";
import { outbound } from "../../../../platform/outbound/outbound.ts";
import type { App } from "../../../../platform/runtime.ts";
import { SettingError } from "../../../../platform/settings/setting.ts";
import type { Purpose } from "../../../campaigns/authoring/rules.ts";
import { servingOf } from "../../../counting/usage/public.ts";
import { emailPausedBecause } from "../../../counting/usage/rules.ts";
import { setSendingFault } from "../../../deliveries/public.ts";
import { ANSWER_MS } from "../../transport/public.ts";
import type { MailReply } from "../../transport/reply.pure.ts";
import { openSender, type ProjectSender, readSenderSettings } from "../open-sender.ts";
import { isInTheWay } from "../rules.ts";
import { type EmailContent, readVariants } from "../variants-store.ts";
import { endUnwritten, recordReply, releaseSend, revokeSend, writeMessage } from "./attempt.ts";
import { beginSend, type LeasedSend, leaseSends } from "./lease.ts";
import { findLostAttemptsAcrossProjects } from "./outcome-store.ts";
import { recordOutcome } from "./outcomes.ts";
import { findDueAcrossProjects } from "./send-store.ts";

/** Messages in flight per connection: while one is on the wire, another one's attempt or outcome is being recorded. */
const IN_FLIGHT_PER_CONNECTION = 2;

/** The contents of a turn's campaigns, by the UUID of the variant. */
type Contents = ReadonlyMap<string, EmailContent>;

/** A message as it goes over the wire, and the content version of the campaign that it was written from. */
type Written = { raw: Buffer; version: number };

/** How mail for a purpose is written. `Filled`: what one message is written from. */
export type MailWriting<Filled> = {
  name: string;
  purpose: Purpose;
  /**
   * What leased messages are written from, in their order. `outdated`: a message needs another text than this turn has. `fault`: why it can
   * never be written; it ends with that.
   */
  fill(
    app: App,
    leased: readonly LeasedSend[],
    contents: Contents,
  ): Promise<readonly (Filled | "outdated" | { fault: string })[]>;
  write(app: App, sender: ProjectSender, leased: LeasedSend, filled: Filled): Promise<Buffer>;
};

function turnOf<Filled extends { version: number }>(
  app: App,
  { purpose, fill, write }: MailWriting<Filled>,
  sender: ProjectSender,
  contents: Contents,
): ChannelTurn<DueQueue, LeasedSend, Written, MailReply> {
  const { projectId, settings, transport } = sender;
  const inFlight = transport.connections * IN_FLIGHT_PER_CONNECTION;
  /** What each leased message is written from. */
  const filledOf = new WeakMap<LeasedSend, Filled | "outdated">();
  return {
    inFlight,
    leaseAhead: inFlight,
    // A connection waits until its outcome is recorded, so a crash leaves only messages on the wire unknown.
    recordBehind: 0,
    sendMs: 2 * ANSWER_MS,
    finishesLeased: false,
    async lease({ queueId }, leaseOwner) {
      const { leased, looked } = await leaseSends(app, { projectId, purpose, settings, leaseOwner }, queueId);
      const filled = leased.length === 0 ? [] : await fill(app, leased, contents);
      const ready: LeasedSend[] = [];
      for (const [index, send] of leased.entries()) {
        const says = filled[index] ?? "outdated";
        if (says !== "outdated" && "fault" in says) {
          await endUnwritten(app, sender, send, says.fault);
          continue;
        }
        filledOf.set(send, says);
        ready.push(send);
      }
      return { leased: ready, looked };
    },
    async prepare(leased) {
      const filled = filledOf.get(leased) ?? "outdated";
      if (filled === "outdated") return "outdated";
      return { raw: await write(app, sender, leased, filled), version: filled.version };
    },
    async begin(leased, { version }) {
      const { ordinal, isOutdated } = await beginSend(app, leased, version);
      return ordinal ?? (isOutdated ? "outdated" : "refused");
    },
    send: ({ address: to, lane, userKey }, { raw }) =>
      transport.send({ from: sender.from.address, to, user: { lane, userKey } }, raw),
    faultOf: (reply) => (isInTheWay(reply) ? reply.response : null),
    record: (leased, ordinal, reply) => recordReply(app, sender, leased, ordinal, reply),
    async release(leased, ordinal) {
      await releaseSend(app, sender, leased, ordinal);
    },
    revoke: (leased) => revokeSend(app, sender, leased),
  };
}

const UNSENT = { kind: "unsent", status: "waiting", response: "" } as const;
const UNKNOWN = {
  kind: "unknown",
  status: "unknown",
  response: "the sender stopped before the mail server answered",
} as const;

/** Mail for a purpose: every project over its own connections. */
export const mailChannel = <Filled extends { version: number }>(writing: MailWriting<Filled>) =>
  outbound({
    name: writing.name,
    findDue: (app, look) => findDueAcrossProjects(app.database.kysely, look, writing.purpose),
    pauseReason: async (app, projectId) => emailPausedBecause(await servingOf(app, projectId)),
    async open(app, projectId, due: readonly DueQueue[]) {
      const sender = await openSender(app, projectId, writing.purpose).catch((cause: unknown) => {
        if (cause instanceof SettingError) return { fault: cause.message };
        throw cause;
      });
      if ("fault" in sender) return sender;
      const campaignIds = due.map(({ queueId }) => queueId);
      const contents = await readVariants(app.database.kysely, projectId, campaignIds);
      return turnOf(app, writing, sender, contents);
    },
    // The error itself may name things of other projects, so only the server's log has it.
    queueFault:
      "A message of this campaign cannot be written or claimed. It is tried again; the log of the server says more.",
    reportFault: (app, projectId, campaignIds, fault) =>
      setSendingFault(app.database.kysely, projectId, campaignIds, fault, app.clock()),
    findLost: (app, reaping) =>
      findLostAttemptsAcrossProjects(app.database.hotPool, reaping, writing.purpose),
    async recordLost(app, projectId, lost) {
      const { purpose } = writing;
      const settings = await readSenderSettings({ app, db: app.database.kysely, projectId }, purpose);
      const at = app.clock();
      const capHours = settings["email.capHours"];
      await allEnded(
        lost.map((attempt) =>
          recordOutcome(app, {
            ...attempt,
            ...(attempt.ordinal === null ? UNSENT : UNKNOWN),
            code: null,
            // A message without an attempt keeps the instant at which it was due.
            dueAt: null,
            at,
            capHours,
            countsForCap: purpose === "marketing",
            bounced: false,
            acceptedIsDelivered: false,
            failed: false,
          }),
        ),
      );
    },
  });

/** Campaign email, whose texts are compiled once for all recipients. */
export const emailChannel = mailChannel<EmailContent>({
  name: "email",
  purpose: "marketing",
  fill: async (_app, leased, contents) =>
    // A variant that is missing was added after the turn read the contents.
    leased.map(({ variantId }) => contents.get(variantId) ?? "outdated"),
  write: (app, sender, leased, content) => writeMessage(app, sender, content, leased),
});

/** Sends a project's mail that is due, until none is. */
export const sendMailNow = emailChannel.sendNow;

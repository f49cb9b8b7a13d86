import { allEnded } from "../../../../platform/outbound/all-ended.ts";
import type { ChannelTurn, DueQueue } from "../../../../platform/outbound/channel.ts";
import { outbound } from "../../../../platform/outbound/outbound.ts";
import type { App } from "../../../../platform/runtime.ts";
import { SettingError } from "../../../../platform/settings/setting.ts";
import { servingOf } from "../../../counting/usage/public.ts";
import { emailPausedBecause } from "../../../counting/usage/rules.ts";
import { setSendingFault } from "../../../deliveries/public.ts";
import { readSettings } from "../../../settings/public.ts";
import { emailSettings } from "../../sender/settings.pure.ts";
import { ANSWER_MS } from "../../transport/public.ts";
import type { MailReply } from "../../transport/reply.pure.ts";
import { openSender, type ProjectSender } from "../open-sender.ts";
import { isInTheWay } from "../rules.ts";
import { type EmailContent, readVariants } from "../variants-store.ts";
import { recordReply, releaseSend, revokeSend, writeMessage } from "./attempt.ts";
import { beginSend, type LeasedSend, leaseSends } from "./lease.ts";
import { findLostAttemptsAcrossProjects } from "./outcome-store.ts";
import { recordOutcome } from "./outcomes.ts";
import { findDueAcrossProjects } from "./send-store.ts";

/** Messages in flight per connection: while one is on the wire, another one's attempt or outcome is being recorded. */
const IN_FLIGHT_PER_CONNECTION = 2;

/** A message as it goes over the wire, and the content version of the campaign that it was written from. */
type Written = { raw: Buffer; version: number };

function turnOf(
  app: App,
  sender: ProjectSender,
  content: ReadonlyMap<string, EmailContent>,
): ChannelTurn<DueQueue, LeasedSend, Written, MailReply> {
  const { projectId, settings, transport } = sender;
  const inFlight = transport.connections * IN_FLIGHT_PER_CONNECTION;
  return {
    inFlight,
    leaseAhead: inFlight,
    // A connection waits until its outcome is recorded, so a crash leaves only messages on the wire unknown.
    recordBehind: 0,
    sendMs: 2 * ANSWER_MS,
    finishesLeased: false,
    lease: ({ queueId }, leaseOwner) => leaseSends(app, { projectId, settings, leaseOwner }, queueId),
    async prepare(leased) {
      const says = content.get(leased.variantId);
      // The variant was added after this turn read the contents.
      if (says === undefined) return "outdated";
      return { raw: await writeMessage(app, sender, says.message, leased), version: says.version };
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

/** Campaign email: every project over its own connections. */
export const emailChannel = outbound({
  name: "email",
  findDue: (app, look) => findDueAcrossProjects(app.database.kysely, look),
  pauseReason: async (app, projectId) => emailPausedBecause(await servingOf(app, projectId)),
  async open(app, projectId, due) {
    const sender = await openSender(app, projectId).catch((cause: unknown) => {
      if (cause instanceof SettingError) return { fault: cause.message };
      throw cause;
    });
    if ("fault" in sender) return sender;
    const campaignIds = due.map(({ queueId }) => queueId);
    const variants = await readVariants(app.database.kysely, projectId, campaignIds);
    return turnOf(app, sender, variants);
  },
  // The error itself may name things of other projects, so only the server's log has it.
  queueFault:
    "A message of this campaign cannot be written or claimed. It is tried again; the log of the server says more.",
  reportFault: (app, projectId, campaignIds, fault) =>
    setSendingFault(app.database.kysely, projectId, campaignIds, fault, app.clock()),
  findLost: (app, reaping) => findLostAttemptsAcrossProjects(app.database.hotPool, reaping),
  async recordLost(app, projectId, lost) {
    const settings = await readSettings(app.database.kysely, app.secrets, projectId, emailSettings);
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
          bounced: false,
          acceptedIsDelivered: false,
        }),
      ),
    );
  },
});

/** Sends a project's mail that is due, until none is. */
export const sendMailNow = emailChannel.sendNow;

import { setTimeout as sleep } from "node:timers/promises";
import { beginningOf } from "@tidings/client/text";
import { apiId } from "../../../domain/ids.ts";
import { inTransaction, isLocked } from "../../../platform/db/db.ts";
import { openWayOut } from "../../../platform/net/way-out.ts";
import { allEnded } from "../../../platform/outbound/all-ended.ts";
import type { ChannelTurn, DueQueue, Lease } from "../../../platform/outbound/channel.ts";
import { outbound } from "../../../platform/outbound/outbound.ts";
import { type App, resource } from "../../../platform/runtime.ts";
import { SECOND_MS } from "../../../platform/time/clock.ts";
import {
  ANSWER_MS,
  afterReply,
  IN_FLIGHT,
  LEASE_MS,
  LEASED_AT_ONCE,
  type Reply,
  retryAfterMs,
} from "../rules.ts";
import { MOST_ANSWER } from "../schema.ts";
import { signedHeaders } from "../secret.ts";
import { openWebhookSecret } from "../view.ts";
import { readSubjects } from "./bodies-store.ts";
import { bodyOf } from "./body.ts";
import {
  type CalledWebhook,
  findDueWebhooksAcrossProjects,
  findLostAcrossProjects,
  type LeasedRow,
  leaseMessages,
  lockCalled,
  readCalled,
} from "./lease-store.ts";
import { failuresOf, keepOutcome, UNTRIED } from "./outcomes.ts";

/** A message that only this process may send, while its lease is valid, with its body. */
type LeasedMessage = LeasedRow & Lease & { projectId: string; webhookId: string; body: string };

/** A reply with how long it took, and when its attempt began (epoch ms). */
type Answered = { reply: Reply; at: number; ms: number };

const named = ({ lane, id, webhookId, projectId, leaseOwner }: LeasedMessage) => ({
  lane,
  id,
  webhookId,
  projectId,
  leaseOwner,
});

/** The rows of a lease; null where outcomes are being written, or people change the webhook, for longer than a statement waits for that. */
async function leaseRows(app: App, leasing: Parameters<typeof leaseMessages>[1]) {
  const { projectId, webhookId: id } = leasing;
  try {
    return await inTransaction(
      app.database.hotPool,
      async (client) => {
        const locked = await lockCalled(client, { projectId, id });
        return locked.length === 0 ? [] : leaseMessages(client, leasing);
      },
      "brief",
    );
  } catch (cause) {
    if (isLocked(cause)) return null;
    throw cause;
  }
}

/** Leases messages of a webhook, with their bodies. */
async function lease(
  app: App,
  { projectId, queueId: webhookId }: DueQueue,
  leaseOwner: string,
  limit: number,
): Promise<{ leased: LeasedMessage[]; looked: number }> {
  const now = app.clock();
  const leasedUntil = now + LEASE_MS;
  const rows = await leaseRows(app, { projectId, webhookId, leaseOwner, leasedUntil, now, limit });
  // It is the turn's to look again.
  if (rows === null) return { leased: [], looked: 1 };
  const looked = rows[0]?.looked ?? 0;
  const leased = rows.filter(({ id }) => id !== null);
  const facts = leased.length === 0 ? [] : await readSubjects(app.database.kysely, projectId, leased);
  return {
    looked,
    leased: leased.flatMap((row, index): LeasedMessage[] => {
      const known = facts[index];
      if (known === undefined) return [];
      return [{ ...row, leaseOwner, leasedUntil, projectId, webhookId, body: bodyOf(row, known) }];
    }),
  };
}

/** Text of an answer as it can be kept and shown. */
const readable = (body: Buffer): string =>
  beginningOf(body.toString("utf8").replaceAll(/\p{Cc}/gu, " "), MOST_ANSWER);

/** The connections to servers of customers. */
const wayOut = resource(({ config: { dnsServer, webhooksPrivate } }) =>
  openWayOut({ dnsServer, allowPrivate: webhooksPrivate, deadlineMs: ANSWER_MS, keptBytes: MOST_ANSWER }),
);

async function post(
  app: App,
  url: URL,
  secrets: readonly string[],
  leased: LeasedMessage,
): Promise<Answered> {
  const at = app.clock();
  const begun = performance.now();
  const { body } = leased;
  const headers = {
    "content-type": "application/json",
    "user-agent": "Tidings-Webhooks",
    ...signedHeaders(secrets, { id: apiId("msg", leased.id), at, body }),
  };
  const answer = await app.get(wayOut).send(url, { method: "POST", headers, body });
  const ms = Math.round(performance.now() - begun);
  const reply: Reply =
    answer.status === null
      ? { status: null, fault: beginningOf(answer.fault, MOST_ANSWER) }
      : {
          status: answer.status,
          answer: readable(answer.body),
          retryAfterMs: retryAfterMs(answer.headers["retry-after"], app.clock()),
        };
  return { reply, at, ms };
}

/** The secrets that sign now, the present one first. */
function secretsOf(app: App, projectId: string, id: string, called: CalledWebhook): string[] {
  const open = (sealed: Buffer): string => openWebhookSecret(app.secrets, projectId, id, sealed);
  const { sealed, formerSealed, formerUntil } = called;
  const former = formerSealed !== null && formerUntil !== null && formerUntil > app.clock();
  return [open(sealed), ...(former ? [open(formerSealed)] : [])];
}

/** So many attempts in a row may fail before each further one waits for a second. */
const FAILURES_WITHOUT_REST = 100;
const REST_MS = SECOND_MS;

function turnOf(
  app: App,
  projectId: string,
  webhookId: string,
  called: CalledWebhook,
): ChannelTurn<DueQueue, LeasedMessage, string, Answered> {
  const secrets = secretsOf(app, projectId, webhookId, called);
  const url = new URL(called.url);
  const release = async (leased: LeasedMessage): Promise<void> => {
    await keepOutcome(app, { ...named(leased), ...UNTRIED });
  };
  // A webhook that fails is tried with one message at a time, so that a server which is coming back is not met by all at once.
  const isFailing = called.failingSince !== null;
  return {
    inFlight: isFailing ? 1 : IN_FLIGHT,
    leaseAhead: isFailing ? 1 : 2 * IN_FLIGHT,
    recordBehind: 3 * IN_FLIGHT,
    sendMs: ANSWER_MS,
    finishesLeased: false,
    async lease(due, leaseOwner) {
      if (!isFailing) return lease(app, due, leaseOwner, LEASED_AT_ONCE);
      // A server that is down refuses at once: without a rest, a long queue would be tried as fast as this process can.
      if (failuresOf(app, webhookId) >= FAILURES_WITHOUT_REST) await sleep(REST_MS);
      return lease(app, due, leaseOwner, 1);
    },
    prepare: async ({ body }) => body,
    // A message may come twice, so that nothing has to be written before the first byte.
    begin: async ({ tries }) => tries + 1,
    send: (leased) => post(app, url, secrets, leased),
    faultOf: () => null,
    async record(leased, _ordinal, { reply, at, ms }) {
      const chance = Math.random();
      const { isGone, ...next } = afterReply(reply, { tries: leased.tries, now: app.clock(), chance });
      const answer = reply.status === null ? null : reply.answer;
      await keepOutcome(app, {
        ...named(leased),
        ...next,
        at,
        tookMs: ms,
        status: reply.status,
        answer,
        isGone,
      });
    },
    release,
    revoke: release,
  };
}

const GONE = "This webhook is off, or was deleted.";

/** Messages to webhooks: each webhook has turns of its own, so that none waits for another one's server. */
export const webhookChannel = outbound({
  name: "webhooks",
  turnsOf: "queue",
  findDue: (app, look) => findDueWebhooksAcrossProjects(app.database.kysely, look),
  pauseReason: async () => null,
  async open(app, projectId, due) {
    const webhookId = due[0]?.queueId ?? "";
    const called = await readCalled(app.database.kysely, projectId, webhookId);
    return called === null ? { fault: GONE } : turnOf(app, projectId, webhookId, called);
  },
  queueFault:
    "The messages of this webhook cannot be written or leased. It is tried again; the log of the server says more.",
  reportFault: async () => undefined,
  findLost: (app, reaping) => findLostAcrossProjects(app.database.hotPool, reaping),
  async recordLost(app, projectId, lost) {
    await allEnded(lost.map((each) => keepOutcome(app, { ...each, ...UNTRIED, projectId })));
  },
});

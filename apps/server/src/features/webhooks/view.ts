import { apiId, uuidFor } from "../../domain/ids.ts";
import type { Config } from "../../platform/config.ts";
import type { Db } from "../../platform/db/db.ts";
import { ApiError } from "../../platform/http/contract/errors.ts";
import { placeOfHost } from "../../platform/net/public-host.ts";
import type { Secrets } from "../../platform/secrets/secrets.ts";
import { notAhead } from "../../platform/time/far-ahead.ts";
import type { MessageState, Webhook, WebhookMessage } from "./schema.ts";
import {
  type CountedWebhook,
  findCountedWebhook,
  findWebhook,
  type MessageRow,
  type WebhookRow,
} from "./store.ts";

/** What the secrets of a webhook are sealed for. */
const boundTo = (projectId: string, id: string): string => `webhook ${projectId} ${id}`;

export const sealWebhookSecret = (secrets: Secrets, projectId: string, id: string, secret: string): Buffer =>
  secrets.seal(secret, boundTo(projectId, id));

/** @throws SealError where it was sealed with another key of the server */
export const openWebhookSecret = (secrets: Secrets, projectId: string, id: string, sealed: Buffer): string =>
  secrets.open(sealed, boundTo(projectId, id));

/** A webhook as the API shows it. What is stored was checked when it was stored. */
export const toWebhook = (row: CountedWebhook, now: number): Webhook => ({
  id: apiId("wh", row.id),
  url: row.url,
  description: row.description,
  types: row.types as Webhook["types"],
  state: row.state as Webhook["state"],
  offBecause: row.offBecause as Webhook["offBecause"],
  offAt: row.offAt,
  failingSince: row.failingSince,
  fault: row.failingSince === null ? null : row.fault,
  succeededAt: row.succeededAt,
  formerSecretUntil: row.formerUntil !== null && row.formerUntil > now ? row.formerUntil : null,
  waiting: row.waiting,
  createdAt: row.madeAt,
  changedAt: row.changedAt,
});

/** A message as the API shows it at an instant. */
export const toMessage = (row: MessageRow, now: number): WebhookMessage => ({
  id: apiId("msg", row.id),
  type: row.type as WebhookMessage["type"],
  happenedAt: notAhead(row.happenedAt, now),
  state: row.state as MessageState,
  dueAt: row.state === "waiting" && row.dueAt !== null ? Math.max(row.dueAt, row.happenedAt) : null,
  attempts: row.attempts,
  gapBefore: row.gapBefore,
  replayedAt: row.replayedAt,
  endedAt: row.endedAt,
  last: row.lastAt === null ? null : { at: row.lastAt, status: row.lastStatus, fault: row.lastFault },
});

function found<W>(row: W | null): W {
  if (row === null) throw new ApiError("not_found", "Webhook not found");
  return row;
}

/** The webhook of an id of the API. @throws ApiError not_found */
export const requireWebhook = async (db: Db, projectId: string, id: string): Promise<WebhookRow> =>
  found(await findWebhook(db, projectId, uuidFor("wh", id)));

/** The webhook of an id of the API as it is shown at an instant (epoch ms). @throws ApiError not_found */
export const viewWebhook = async (db: Db, projectId: string, id: string, now: number): Promise<Webhook> =>
  toWebhook(found(await findCountedWebhook(db, projectId, uuidFor("wh", id))), now);

/** Where a webhook leads, for the audit log: an address may have a secret in its path. */
export const receiverHost = (url: string): string => new URL(url).host;

const refusal = (reason: string, message: string): ApiError =>
  new ApiError("conflict", message, { fields: { reason } });

/**
 * Refuses an address where messages may not go. @throws ApiError invalid_request where it is none, conflict where it is not https, or leads to this
 * server or its network
 */
export async function assertMayReceive(
  { webhooksPrivate, dnsServer }: Pick<Config, "webhooksPrivate" | "dnsServer">,
  address: string,
): Promise<void> {
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new ApiError("invalid_request", "url must be an https:// address");
  if (url.username !== "" || url.password !== "")
    throw new ApiError(
      "invalid_request",
      "url must not contain a name or a password: check the signature of the messages instead",
    );
  if (webhooksPrivate) return;
  if (url.protocol !== "https:")
    throw refusal("not_https", "url must be https://, so that nobody on the way reads what is sent there.");
  const { at } = await placeOfHost(url.hostname, { dnsServer });
  if (at === "private")
    throw refusal(
      "private_address",
      `${url.hostname} leads to this server or its network. An operator can allow that (WEBHOOKS_PRIVATE=1).`,
    );
}

import { hash } from "node:crypto";
import { randomHex, uuidOfHex } from "../platform/uuid.ts";

/**
 * The prefixes of ids in the API, each with the table whose rows they name. A room adds its own beside its tables, in `tables.pure.ts`
 * (`declare module`); a prefix that another room has already does not compile.
 */
// biome-ignore lint/suspicious/noEmptyInterface: rooms extend it.
export interface IdPrefixes {}

/** Prefix of an id in the API; the database keeps the UUID behind it. */
export type IdPrefix = keyof IdPrefixes;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** `goal` + uuid -> `goal_…`, the form of the API. */
export const apiId = (prefix: IdPrefix, uuid: string): string => `${prefix}_${uuid}`;

/** The UUID behind an API id, or null when the text is not an id of that kind. */
export function uuidOf(prefix: IdPrefix, id: string): string | null {
  if (!id.startsWith(`${prefix}_`)) return null;
  const uuid = id.slice(prefix.length + 1);
  return UUID.test(uuid) ? uuid : null;
}

/** A UUID that no row has. */
const NO_UUID = "00000000-0000-0000-0000-000000000000";

/** The UUID to look for: the one behind an API id, or one that finds no row. */
export const uuidFor = (prefix: IdPrefix, id: string | null): string =>
  (id === null ? null : uuidOf(prefix, id)) ?? NO_UUID;

/** Where the rows of one user live. `lane` (0..63) is what a cluster distributes on. */
export type UserRef = { lane: number; userKey: string };

/**
 * The row of a user, known without a look-up: `userKey` is the first 16 bytes of
 * SHA-256(project id, 0x00, external id), `lane` its first six bits.
 */
export function userRef(projectId: string, externalId: string): UserRef {
  const userKey = uuidOfHex(hash("sha256", `${projectId}\0${externalId}`, "hex"));
  return { lane: laneOf(userKey), userKey };
}

/** The lane of a user key: its first six bits. */
export const laneOf = (userKey: string): number => Number.parseInt(userKey.slice(0, 2), 16) >> 2;

/** The row of a user whose key is known. */
export const keyRef = (userKey: string): UserRef => ({ lane: laneOf(userKey), userKey });

/** A random key in the same lane, under which the deliveries of an erased user are kept. */
export const anonymisedRef = ({ lane }: UserRef): UserRef => {
  const byte = (lane << 2) | Math.floor(Math.random() * 4);
  return { lane, userKey: uuidOfHex(byte.toString(16).padStart(2, "0") + randomHex(15)) };
};

/** Where the rows of one app installation live; `lane` is 0..63, of its own key. */
export type InstallationRef = { lane: number; installationKey: string };

/** The row of an installation, known from the id that the app gave it, as with users. */
export function installationRef(projectId: string, installationId: string): InstallationRef {
  const installationKey = uuidOfHex(hash("sha256", `${projectId}\0installation\0${installationId}`, "hex"));
  return { lane: laneOf(installationKey), installationKey };
}

/** Where a provider's token for one app lives; `lane` is 0..63, of its own key. */
export type TokenRef = { lane: number; tokenKey: string };

/** Within a project, a token is unique for these. */
export type TokenScope = { provider: string; environment: string; appId: string };

/** The row of a token: the same token of the same app always finds the same row. No part can contain a NUL. */
export function tokenRef(projectId: string, scope: TokenScope, token: string): TokenRef {
  const parts = [projectId, "token", scope.provider, scope.environment, scope.appId, token];
  const tokenKey = uuidOfHex(hash("sha256", parts.join("\0"), "hex"));
  return { lane: laneOf(tokenKey), tokenKey };
}

/** `ev_…`: a hash of the user's key and the sender's event id, which by itself could be longer than an id of the API. */
export const eventApiId = (userKey: string, eventId: string): string =>
  apiId("ev", uuidOfHex(hash("sha256", `${userKey}\0${eventId}`, "hex")));

/** The user and the campaign of a delivery, which together identify it: a user gets a campaign at most once. */
export type DeliveryKey = UserRef & { campaignId: string };

/** A delivery of a project. */
export type DeliveryRef = DeliveryKey & { projectId: string };

/** The delivery of a row that belongs to one. */
export const deliveryRef = ({ lane, userKey, campaignId, projectId }: DeliveryRef): DeliveryRef => ({
  lane,
  userKey,
  campaignId,
  projectId,
});

/** `del_` + base64url of user key and campaign: feedback finds the row by primary key. */
export function deliveryId(userKey: string, campaignId: string): string {
  return `del_${Buffer.from((userKey + campaignId).replaceAll("-", ""), "hex").toString("base64url")}`;
}

/** The row behind a delivery id, or null when the text is not one. */
export function parseDeliveryId(id: string): DeliveryKey | null {
  if (!/^del_[A-Za-z0-9_-]{43}$/.test(id)) return null;
  const hex = Buffer.from(id.slice(4), "base64url").toString("hex");
  const userKey = uuidOfHex(hex);
  const campaignId = uuidOfHex(hex.slice(32));
  // The last character has two unused bits, so several spellings mean the same: only the canonical one is accepted.
  if (deliveryId(userKey, campaignId) !== id) return null;
  return { lane: laneOf(userKey), userKey, campaignId };
}

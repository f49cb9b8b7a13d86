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

/**
 * A delivery: to whom, of which campaign, and on which occasion. Occasion 0 is the first time that the user gets the campaign, and the
 * only one of a campaign that is sent to an audience. What may be sent again has further ones: 1, 2, … up to 2,147,483,647.
 */
export type DeliveryKey = UserRef & { campaignId: string; occasion: number };

/** The occasion of the first delivery of a campaign to a user. */
export const FIRST_OCCASION = 0;

/** A delivery of a project. */
export type DeliveryRef = DeliveryKey & { projectId: string };

/** The delivery of a row that belongs to one. */
export const deliveryRef = ({
  lane,
  userKey,
  campaignId,
  occasion,
  projectId,
}: DeliveryRef): DeliveryRef => ({
  lane,
  userKey,
  campaignId,
  occasion,
  projectId,
});

/** What names a delivery: its lane follows from its user. */
export type DeliveryName = Omit<DeliveryKey, "lane">;

/** A delivery as a key of maps and sets. */
export const deliveryText = ({ userKey, campaignId, occasion }: DeliveryName): string =>
  userKey + campaignId + occasion;

/**
 * `del_` + base64url of user key, campaign, and an occasion beyond the first (4 bytes, big-endian): feedback finds the row by primary key. 43
 * characters for the first occasion, 48 for others.
 */
export function deliveryId({ userKey, campaignId, occasion }: DeliveryName): string {
  const again = occasion === FIRST_OCCASION ? "" : occasion.toString(16).padStart(8, "0");
  return `del_${Buffer.from((userKey + campaignId).replaceAll("-", "") + again, "hex").toString("base64url")}`;
}

const DELIVERY_ID = /^del_(?:[A-Za-z0-9_-]{43}|[A-Za-z0-9_-]{48})$/;

/** The row behind a delivery id, or null when the text is not one. */
export function parseDeliveryId(id: string): DeliveryKey | null {
  if (!DELIVERY_ID.test(id)) return null;
  const bytes = Buffer.from(id.slice("del_".length), "base64url");
  const hex = bytes.toString("hex");
  const userKey = uuidOfHex(hex);
  const key = {
    lane: laneOf(userKey),
    userKey,
    campaignId: uuidOfHex(hex.slice(32)),
    occasion: bytes.length > 32 ? bytes.readInt32BE(32) : FIRST_OCCASION,
  };
  // The last of 43 characters has two unused bits, and 48 could spell the first occasion: only the one spelling that is made is accepted.
  return key.occasion >= FIRST_OCCASION && deliveryId(key) === id ? key : null;
}

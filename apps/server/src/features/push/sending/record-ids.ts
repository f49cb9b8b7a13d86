import { FIRST_OCCASION } from "../../../domain/ids.ts";
import { derivedKey, uuidOfHex } from "../../../platform/uuid.ts";

/**
 * `send_id` of a delivery's recipient and slots: the id of the campaign on the first occasion, as rows have it that are older than occasions,
 * and on a later one the first 16 bytes of SHA-256(campaign id, 0x00, occasion in decimal digits). Those of a test have the id of the test.
 * `laterSendIdSql` (tables.pure.ts) is the same in SQL.
 */
export const sendIdOf = (campaignId: string, occasion: number): string =>
  occasion === FIRST_OCCASION ? campaignId : derivedKey(campaignId, String(occasion));

/** The key of a device's slot in a delivery or test (`sendId`). A device of a user always has the same slot there. */
export const slotKeyOf = (userKey: string, sendId: string, installationKey: string): string =>
  derivedKey(userKey, sendId, installationKey);

const hex = (uuid: string): string => uuid.replaceAll("-", "");
/** Fixed width, so that ids sort as their numbers do. */
const digits = (number: number): string => String(number).padStart(6, "0");

export const recipientId = (userKey: string, sendId: string): string => `prc_${hex(userKey)}${hex(sendId)}`;
export const slotId = (slotKey: string): string => `psl_${hex(slotKey)}`;
export const targetId = (slotKey: string, generation: number): string =>
  `ptg_${hex(slotKey)}_${digits(generation)}`;
export const attemptId = (slotKey: string, ordinal: number): string =>
  `pat_${hex(slotKey)}_${digits(ordinal)}`;
export const outcomeId = (slotKey: string, ordinal: number): string =>
  `pou_${hex(slotKey)}_${digits(ordinal)}`;

/** The slot of a target or attempt, and its number in that slot. */
export type PartOfSlot = { slotKey: string; number: number };

function read(prefix: string, id: string): PartOfSlot | null {
  const [, found, key, number] = /^(p(?:tg|at))_([0-9a-f]{32})_(\d{6,9})$/.exec(id) ?? [];
  if (found !== prefix || key === undefined || number === undefined) return null;
  const part = { slotKey: uuidOfHex(key), number: Number(number) };
  return digits(part.number) === number ? part : null;
}

/** The target behind an id as a device reports it, or null when the text is not one. */
export const parseTargetId = (id: string): PartOfSlot | null => read("ptg", id);
/** The attempt behind an id as a device reports it, or null when the text is not one. */
export const parseAttemptId = (id: string): PartOfSlot | null => read("pat", id);

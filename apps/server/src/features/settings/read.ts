import type { Db } from "../../platform/db/db.ts";
import { SealError, type Secrets } from "../../platform/secrets/secrets.ts";
import {
  isOrganizationKey,
  type OrganizationSettings,
  SETTING_KEYS,
  SETTINGS,
  type SettingKey,
  type Settings,
  type SettingValue,
  settingOf,
} from "./schema.ts";
import {
  findChanges,
  findLastChange,
  findLastChanges,
  findOrganizationSettings,
  findOwnChanges,
  findOwnSettings,
  findSettings,
  type SettingOwner,
  type SettingRow,
} from "./store.ts";
import { type Control, controlOf } from "./typed.pure.ts";

/** A setting that is refused, or cannot be read. `message` is one line that names it and never repeats a value. */
export class SettingError extends Error {}

/** The place to which a sealed setting is bound. */
export const settingBinding = (projectId: string, key: string): string => `setting ${projectId} ${key}`;

/** Shown in the place of a secret's value. */
export const SET = "set";

const isPlain = (value: unknown): value is string | number | boolean =>
  ["string", "number", "boolean"].includes(typeof value);

/** A stored value, checked by the rule of its key. A value that a new version refuses has to be set again. */
function checked(key: SettingKey, value: unknown): SettingValue {
  const parsed = settingOf(key).parse.safeParse(isPlain(value) ? String(value) : "");
  if (!parsed.success) throw new SettingError(`${key} is kept as something it cannot be: set it again`);
  return parsed.data;
}

function readValue(secrets: Secrets, projectId: string, key: SettingKey, row: SettingRow): SettingValue {
  if (row.sealed === null) return checked(key, row.value);
  try {
    return checked(key, secrets.open(row.sealed, settingBinding(projectId, key)));
  } catch (cause) {
    if (!(cause instanceof SealError)) throw cause;
    throw new SettingError(`${key} cannot be opened: ${cause.message}. Set it again`, { cause });
  }
}

async function byKey(db: Db, projectId: string): Promise<Map<string, SettingRow>> {
  const rows = await findSettings(db, projectId);
  return new Map(rows.map((row) => [row.key, row]));
}

/**
 * A project's settings: every key, defaults filled in, secrets opened. One statement.
 * @throws SettingError that names the first one that cannot be read
 */
export async function readSettings(db: Db, secrets: Secrets, projectId: string): Promise<Settings> {
  const rows = await byKey(db, projectId);
  const entries = SETTING_KEYS.map((key): [SettingKey, SettingValue] => {
    const row = rows.get(key);
    return [key, row === undefined ? SETTINGS[key].fallback : readValue(secrets, projectId, key, row)];
  });
  // Each value was made by the parser of its key, or is its default.
  return Object.fromEntries(entries) as Settings;
}

/** Settings that are kept in clear. */
type OpenKey = {
  [Key in SettingKey]: (typeof SETTINGS)[Key] extends { secret: true } ? never : Key;
}[SettingKey];

/**
 * Some settings of a project, defaults filled in, so that an unreadable one elsewhere fails no operation that does not need it.
 * @throws SettingError where one of these cannot be read
 */
export async function readSome<Key extends OpenKey>(
  db: Db,
  projectId: string,
  keys: readonly Key[],
): Promise<Pick<Settings, Key>> {
  const rows = await byKey(db, projectId);
  const entries = keys.map((key): [Key, SettingValue] => {
    const row = rows.get(key);
    return [key, row === undefined ? SETTINGS[key].fallback : checked(key, row.value)];
  });
  // Each value was made by the parser of its key, or is its default.
  return Object.fromEntries(entries) as Pick<Settings, Key>;
}

/** Settings that always have a number, because their default is one. */
type NumberKey = { [Key in SettingKey]: Settings[Key] extends number ? Key : never }[SettingKey];

/** Reads one setting that is a number; answers its default where it cannot be read, so that callers go on. */
export async function readNumber(db: Db, projectId: string, key: NumberKey): Promise<number> {
  const value = (await byKey(db, projectId)).get(key)?.value;
  const parsed = settingOf(key).parse.safeParse(isPlain(value) ? String(value) : "");
  return parsed.success && typeof parsed.data === "number" ? parsed.data : SETTINGS[key].fallback;
}

/**
 * The settings of a project's organization, with its id; null when there is no such project. One statement. A setting that
 * cannot be read has its default, because recording events must not fail for it.
 */
export async function readOrganizationSettings(
  db: Db,
  projectId: string,
): Promise<{ organizationId: string; settings: OrganizationSettings } | null> {
  const found = await findOrganizationSettings(db, projectId);
  if (found === null) return null;
  const entries = SETTING_KEYS.filter(isOrganizationKey).map((key): [SettingKey, SettingValue] => {
    const value = found.values[key];
    const parsed = settingOf(key).parse.safeParse(isPlain(value) ? String(value) : "");
    return [key, parsed.success ? parsed.data : SETTINGS[key].fallback];
  });
  // Each value was made by the parser of its key, or is its default.
  return {
    organizationId: found.organizationId,
    settings: Object.fromEntries(entries) as OrganizationSettings,
  };
}

/** A setting to show. Of a secret, `value` is "set" or null. `updatedAt`: epoch ms, null at the default. */
export type ShownSetting = {
  key: SettingKey;
  value: SettingValue;
  isDefault: boolean;
  isSecret: boolean;
  meaning: string;
  updatedAt: number | null;
};

/** A setting with what is stored for it. */
function toShown(key: SettingKey, row: SettingRow | undefined): ShownSetting {
  const { secret = false, fallback, meaning } = settingOf(key);
  const shown = row === undefined ? fallback : secret ? SET : shownValue(row.value);
  return {
    key,
    value: shown,
    isDefault: row === undefined,
    isSecret: secret,
    meaning,
    updatedAt: row?.updatedAt ?? null,
  };
}

/** Every setting, in the order of the list; opens nothing. */
export async function listSettings(db: Db, projectId: string): Promise<ShownSetting[]> {
  const rows = await byKey(db, projectId);
  return SETTING_KEYS.map((key) => toShown(key, rows.get(key)));
}

/** The author of the last change of a setting, and its instant (epoch ms). */
export type LastChange = { by: string; at: number };

const shownLast = ({ changedBy, changedAt }: { changedBy: string; changedAt: number }): LastChange => ({
  by: changedBy,
  at: changedAt,
});

/** The last change of a setting of a project; null where there was none. */
export async function readLastChange(db: Db, projectId: string, key: SettingKey): Promise<LastChange | null> {
  const change = await findLastChange(db, { projectId }, key);
  return change === undefined ? null : shownLast(change);
}

/** A setting to change: how its value is given, its default, and its last change (epoch ms), null where there was none. */
export type OwnSetting = Omit<ShownSetting, "updatedAt"> & {
  fallback: SettingValue;
  control: Control;
  lastChange: LastChange | null;
};

/**
 * The settings of one owner, in the order of the list; opens nothing. `newest` is the id of the newest change, 0 where there was none.
 * Needs an instant: it asks twice.
 */
export async function listOwnSettings(
  db: Db,
  owner: SettingOwner,
): Promise<{ settings: OwnSetting[]; newest: number }> {
  const rows = new Map((await findOwnSettings(db, owner)).map((row) => [row.key, row]));
  const changes = await findLastChanges(db, owner);
  const last = new Map(changes.map((change) => [change.key, change]));
  const settings = SETTING_KEYS.filter((key) => isOrganizationKey(key) === "organizationId" in owner).map(
    (key) => {
      const { updatedAt: _, ...shown } = toShown(key, rows.get(key));
      const { fallback, parse } = settingOf(key);
      const change = last.get(key);
      const lastChange = change === undefined ? null : shownLast(change);
      return { ...shown, fallback, control: controlOf(parse), lastChange };
    },
  );
  return { settings, newest: Math.max(0, ...changes.map(({ id }) => id)) };
}

const shownValue = (value: unknown): SettingValue => (isPlain(value) ? value : null);

/** A change to show; null before or after is the default. Of a secret, what was set is "set". `at`: epoch ms. */
export type ShownChange = { key: string; before: SettingValue; after: SettingValue; by: string; at: number };

/** The newest changes of a project and its organization, newest first. */
export async function listSettingChanges(db: Db, projectId: string, limit = 100): Promise<ShownChange[]> {
  const rows = await findChanges(db, projectId, limit);
  return rows.map(({ key, before, after, changedBy, changedAt }) => ({
    key,
    before: shownValue(before),
    after: shownValue(after),
    by: changedBy,
    at: changedAt,
  }));
}

/** Changes of one owner's settings, newest first, with their ids. @param page only those with an id smaller than `before` */
export async function listOwnChanges(
  db: Db,
  owner: SettingOwner,
  page: { before: number; limit: number },
): Promise<(ShownChange & { id: number })[]> {
  const rows = await findOwnChanges(db, owner, page);
  return rows.map(({ id, key, before, after, changedBy, changedAt }) => ({
    id,
    key,
    by: changedBy,
    at: changedAt,
    before: shownValue(before),
    after: shownValue(after),
  }));
}

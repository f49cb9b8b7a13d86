import type { Db } from "../../platform/db/db.ts";
import { SealError, type Secrets } from "../../platform/secrets/secrets.ts";
import {
  isOrganizationKey,
  type Setting,
  SettingError,
  type SettingGroup,
  type SettingSet,
  type Settings,
  type SettingValue,
} from "../../platform/settings/setting.ts";
import { type Control, controlOf } from "../../platform/settings/typed.ts";
import { settingsByKey } from "./rules.ts";
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

/** The place to which a sealed setting is bound. */
export const settingBinding = (projectId: string, key: string): string => `setting ${projectId} ${key}`;

/** Shown in the place of a secret's value. */
export const SET = "set";

const isPlain = (value: unknown): value is string | number | boolean =>
  ["string", "number", "boolean"].includes(typeof value);

/** What a setting makes of a stored value, which another version may have stored. */
const parsed = ({ parse }: Setting, value: unknown) => parse.safeParse(isPlain(value) ? String(value) : "");

/** A stored value, checked by the rule of its key. A value that a new version refuses has to be set again. */
function checked(key: string, setting: Setting, value: unknown): SettingValue {
  const read = parsed(setting, value);
  if (!read.success) throw new SettingError(`${key} is kept as something it cannot be: set it again`);
  return read.data;
}

/** The value of a setting that is stored and read, or its default. */
type ReadValue = (key: string, setting: Setting, row: SettingRow) => SettingValue;

const readOpen: ReadValue = (key, setting, row) => checked(key, setting, row.value);

/** A value that may be sealed. */
const readWith =
  (secrets: Secrets, projectId: string): ReadValue =>
  (key, setting, row) => {
    if (row.sealed === null) return readOpen(key, setting, row);
    try {
      return checked(key, setting, secrets.open(row.sealed, settingBinding(projectId, key)));
    } catch (cause) {
      if (!(cause instanceof SealError)) throw cause;
      throw new SettingError(`${key} cannot be opened: ${cause.message}. Set it again`, { cause });
    }
  };

async function byKey(db: Db, projectId: string): Promise<Map<string, SettingRow>> {
  const rows = await findSettings(db, projectId);
  return new Map(rows.map((row) => [row.key, row]));
}

/** The values of some settings, each as `read` reads what is stored, or its default. */
const valuesOf = <Own extends SettingSet>(
  own: Own,
  rows: ReadonlyMap<string, SettingRow>,
  read: ReadValue,
): Settings<Own> =>
  Object.fromEntries(
    Object.entries(own).map(([key, setting]) => {
      const row = rows.get(key);
      return [key, row === undefined ? setting.fallback : read(key, setting, row)];
    }),
    // Each value was made by the parser of its key, or is its default.
  ) as Settings<Own>;

/**
 * The settings of a set, as a project has them: defaults filled in, secrets opened. One statement. One that cannot be read elsewhere fails
 * nothing here.
 * @throws SettingError that names the first one that cannot be read
 */
export const readSettings = async <Own extends SettingSet>(
  db: Db,
  secrets: Secrets,
  projectId: string,
  own: Own,
): Promise<Settings<Own>> => valuesOf(own, await byKey(db, projectId), readWith(secrets, projectId));

/** Settings that are kept in clear. */
export type OpenKey<Own extends SettingSet> = {
  [Key in keyof Own & string]: Own[Key] extends { secret: true } ? never : Key;
}[keyof Own & string];

/**
 * Some settings of a set, which are kept in clear, so that an unreadable one beside them fails no operation that does not need it.
 * @throws SettingError where one of these cannot be read
 */
export async function readSome<Own extends SettingSet, Key extends OpenKey<Own>>(
  db: Db,
  projectId: string,
  own: Own,
  keys: readonly Key[],
): Promise<Pick<Settings<Own>, Key>> {
  const some = Object.fromEntries(keys.map((key) => [key, own[key]])) as Pick<Own, Key>;
  return valuesOf<Pick<Own, Key>>(some, await byKey(db, projectId), readOpen);
}

/** Settings that always have a number, because their default is one. */
type NumberKey<Own extends SettingSet> = {
  [Key in keyof Own & string]: Own[Key]["fallback"] extends number ? Key : never;
}[keyof Own & string];

/** Reads one setting that is a number; answers its default where it cannot be read, so that callers go on. */
export async function readNumber<Own extends SettingSet, Key extends NumberKey<Own>>(
  db: Db,
  projectId: string,
  own: Own,
  key: Key,
): Promise<number> {
  const setting: Own[Key] = own[key];
  const read = parsed(setting, (await byKey(db, projectId)).get(key)?.value);
  return Number(read.success ? read.data : setting.fallback);
}

/**
 * The settings of a set, as a project's organization has them, with its id; null when there is no such project. One statement. A setting
 * that cannot be read has its default, because recording events must not fail for it.
 */
export async function readOrganizationSettings<Own extends SettingSet>(
  db: Db,
  projectId: string,
  own: Own,
): Promise<{ organizationId: string; settings: Settings<Own> } | null> {
  const found = await findOrganizationSettings(db, projectId);
  if (found === null) return null;
  const entries = Object.entries(own).map(([key, setting]) => {
    const read = parsed(setting, found.values[key]);
    return [key, read.success ? read.data : setting.fallback];
  });
  // Each value was made by the parser of its key, or is its default.
  return { organizationId: found.organizationId, settings: Object.fromEntries(entries) as Settings<Own> };
}

/** A setting to show. Of a secret, `value` is "set" or null. `updatedAt`: epoch ms, null at the default. */
export type ShownSetting = {
  key: string;
  value: SettingValue;
  isDefault: boolean;
  isSecret: boolean;
  meaning: string;
  updatedAt: number | null;
};

/** A setting with what is stored for it. */
function toShown(key: string, setting: Setting, row: SettingRow | undefined): ShownSetting {
  const { secret = false, fallback, meaning } = setting;
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

/** The settings of some groups, in their order; opens nothing. */
export async function listSettings(
  db: Db,
  groups: readonly SettingGroup[],
  projectId: string,
): Promise<ShownSetting[]> {
  const rows = await byKey(db, projectId);
  return [...settingsByKey(groups)].map(([key, setting]) => toShown(key, setting, rows.get(key)));
}

/** The author of the last change of a setting, and its instant (epoch ms). */
export type LastChange = { by: string; at: number };

const shownLast = ({ changedBy, changedAt }: { changedBy: string; changedAt: number }): LastChange => ({
  by: changedBy,
  at: changedAt,
});

/** The last change of a setting of a project; null where there was none. */
export async function readLastChange(db: Db, projectId: string, key: string): Promise<LastChange | null> {
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
 * The settings of one owner, in the order of the groups; opens nothing. `newest` is the id of the newest change, 0 where there was none.
 * Needs an instant: it asks twice.
 */
export async function listOwnSettings(
  db: Db,
  groups: readonly SettingGroup[],
  owner: SettingOwner,
): Promise<{ settings: OwnSetting[]; newest: number }> {
  const rows = new Map((await findOwnSettings(db, owner)).map((row) => [row.key, row]));
  const changes = await findLastChanges(db, owner);
  const last = new Map(changes.map((change) => [change.key, change]));
  const own = [...settingsByKey(groups)].filter(
    ([key]) => isOrganizationKey(key) === "organizationId" in owner,
  );
  const settings = own.map(([key, setting]) => {
    const { updatedAt: _, ...shown } = toShown(key, setting, rows.get(key));
    const change = last.get(key);
    const lastChange = change === undefined ? null : shownLast(change);
    return { ...shown, fallback: setting.fallback, control: controlOf(setting.parse), lastChange };
  });
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

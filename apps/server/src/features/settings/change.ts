import type { Db } from "../../platform/db/db.ts";
import type { Secrets } from "../../platform/secrets/secrets.ts";
import {
  isOrganizationKey,
  type NewValues,
  SettingError,
  type SettingFault,
  type SettingGroup,
  type SettingValue,
  type TypedSettings,
} from "../../platform/settings/setting.ts";
import { lockProject, raiseConfigVersion } from "../access/public.ts";
import { SET, type ShownChange, settingBinding } from "./read.ts";
import { fitTogether, misplaced, readChanges, settingsByKey } from "./rules.ts";
import {
  findLastChanges,
  findOwnSettings,
  findSettings,
  insertChanges,
  lockOrganization,
  type NewChange,
  putSetting,
  removeSetting,
  type SettingOwner,
  type SettingRow,
  type StoredValue,
} from "./store.ts";

/** How settings are changed. */
export type SettingsEdit = {
  /** The groups that declare them, whose rules apply. */
  groups: readonly SettingGroup[];
  /** The person that changes them, for the log: 1 to 80 characters. */
  by: string;
  /** Epoch milliseconds. */
  now: number;
  namedBy?: HostsNamedBy | undefined;
};

/** The people that named the hosts of settings that have one, by key; those that are left out were named by an operator. */
export type HostsNamedBy = ReadonlyMap<string, "operator" | "owner">;

function orThrow(result: NewValues | SettingFault): NewValues {
  if ("fault" in result) throw new SettingError(result.fault);
  return result;
}

const json = (value: SettingValue): string | null => (value === null ? null : JSON.stringify(value));

/**
 * Changes settings of a project or of its organization, all or none: `changes` are texts as a person types them, by key; an empty
 * one clears to the default. Answers what is different now, and writes that to the log; raises the project's configuration version,
 * so that caches are renewed. Changes of one project follow one another, those of one organization too. Needs a transaction.
 * @throws SettingError that names key and rule, and never a value
 */
export async function changeSettings(
  tx: Db,
  secrets: Secrets,
  projectId: string,
  changes: TypedSettings,
  edit: SettingsEdit,
): Promise<ShownChange[]> {
  const { groups } = edit;
  const typed = orThrow(readChanges(groups, changes));
  const organizationId = await lockProject(tx, projectId);
  if (organizationId === null) throw new SettingError("There is no such project");
  if ([...typed.keys()].some(isOrganizationKey)) await lockOrganization(tx, organizationId);
  const rows = byKey(await findSettings(tx, projectId));
  const values = orThrow(fitTogether(groups, typed, rows));
  for (const { check } of groups) {
    const fault = (await check?.(tx, projectId, values)) ?? null;
    if (fault !== null) throw new SettingError(fault.fault);
  }
  const ownerOf = (key: string): SettingOwner =>
    isOrganizationKey(key) ? { organizationId } : { projectId };
  const changed = await write(tx, secrets, values, { ...edit, rows, ownerOf });
  if (changed.some(({ key }) => !isOrganizationKey(key))) await raiseConfigVersion(tx, projectId);
  return changed;
}

/** What a person saw before they changed settings: the id of the newest change. Null where they saw nothing. */
type Seen = { seen: number | null };

/** A setting that another person changed meanwhile. `message` names it, and them. */
export class SettingConflict extends Error {}

/** @throws SettingConflict where a setting was changed after what was seen. Needs the lock of its owner. */
async function assertUnchanged(
  tx: Db,
  owner: SettingOwner,
  changes: TypedSettings,
  { seen }: Seen,
): Promise<void> {
  if (seen === null) return;
  for (const { id, key, changedBy } of await findLastChanges(tx, owner))
    if (id > seen && Object.hasOwn(changes, key))
      throw new SettingConflict(`${key} was changed by ${changedBy} meanwhile: look at it, and save again`);
}

/**
 * Changes settings of a project as `changeSettings` does, but none of its organization: those belong to all projects.
 * @throws SettingError that begins with the key, SettingConflict
 */
export async function changeProjectSettings(
  tx: Db,
  secrets: Secrets,
  projectId: string,
  changes: TypedSettings,
  { seen, ...change }: SettingsEdit & Seen,
): Promise<ShownChange[]> {
  const fault = misplaced(change.groups, Object.keys(changes), "project");
  if (fault !== null) throw new SettingError(fault.fault);
  if ((await lockProject(tx, projectId)) === null) throw new SettingError("There is no such project");
  await assertUnchanged(tx, { projectId }, changes, { seen });
  return changeSettings(tx, secrets, projectId, changes, change);
}

/**
 * Changes settings of an organization, all or none, as `changeSettings` does. Needs a transaction.
 * @throws SettingError that begins with the key, SettingConflict
 */
export async function changeOrganizationSettings(
  tx: Db,
  secrets: Secrets,
  organizationId: string,
  changes: TypedSettings,
  { seen, groups, by, now }: SettingsEdit & Seen,
): Promise<ShownChange[]> {
  const fault = misplaced(groups, Object.keys(changes), "organization");
  if (fault !== null) throw new SettingError(fault.fault);
  const typed = orThrow(readChanges(groups, changes));
  const owner = { organizationId };
  await lockOrganization(tx, organizationId);
  await assertUnchanged(tx, owner, changes, { seen });
  const rows = byKey(await findOwnSettings(tx, owner));
  const values = orThrow(fitTogether(groups, typed, rows));
  return write(tx, secrets, values, { groups, rows, ownerOf: () => owner, by, now });
}

const byKey = (rows: readonly SettingRow[]): ReadonlyMap<string, SettingRow> =>
  new Map(rows.map((row) => [row.key, row]));

type Writing = SettingsEdit & {
  /** What is stored, by key. */
  rows: ReadonlyMap<string, SettingRow>;
  ownerOf: (key: string) => SettingOwner;
};

/** Writes those of the values that differ from what is stored, and the log of that. Needs the locks of their owners. */
async function write(
  tx: Db,
  secrets: Secrets,
  values: NewValues,
  { groups, rows, ownerOf, by, now, namedBy }: Writing,
): Promise<ShownChange[]> {
  const settings = settingsByKey(groups);
  const changed: ShownChange[] = [];
  const logged: NewChange[] = [];
  for (const [key, value] of values) {
    const owner = ownerOf(key);
    const row = rows.get(key);
    const isSecret = settings.get(key)?.secret === true;
    // This function wrote what is stored: a plain value, or a sealed one.
    const before = row === undefined ? null : isSecret ? SET : (row.value as SettingValue);
    const isSame = value === null ? row === undefined : !isSecret && row !== undefined && before === value;
    if (isSame) continue;
    if (value === null) await removeSetting(tx, owner, key);
    else {
      const byOperator = namedBy?.get(key) !== "owner";
      const kept = isSecret ? sealed(secrets, owner, key, value) : plain(value);
      await putSetting(tx, owner, key, kept, { updatedAt: now, byOperator });
    }
    const after = value !== null && isSecret ? SET : value;
    changed.push({ key, before, after, by, at: now });
    logged.push({ owner, key, before: json(before), after: json(after), changedBy: by, changedAt: now });
  }
  if (logged.length > 0) await insertChanges(tx, logged);
  return changed;
}

const plain = (value: string | number | boolean): StoredValue => ({
  value: JSON.stringify(value),
  sealed: null,
});

function sealed(
  secrets: Secrets,
  owner: SettingOwner,
  key: string,
  value: string | number | boolean,
): StoredValue {
  if (!("projectId" in owner)) throw new Error("Settings of an organization are kept in clear.");
  return { value: null, sealed: secrets.seal(String(value), settingBinding(owner.projectId, key)) };
}

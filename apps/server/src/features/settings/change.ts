import type { Db } from "../../platform/db/db.ts";
import type { Secrets } from "../../platform/secrets/secrets.ts";
import { findIdentitySecret, raiseConfigVersion } from "../access/public.ts";
import { SET, SettingError, type ShownChange, settingBinding } from "./read.ts";
import {
  checkModelKey,
  checkPeriod,
  misplaced,
  type NewValues,
  readChanges,
  resolveDomain,
  type SettingFault,
} from "./rules.ts";
import { isOrganizationKey, type SettingKey, type SettingValue, settingOf } from "./schema.ts";
import {
  findLastChanges,
  findOwnSettings,
  findSettings,
  insertChanges,
  lockOrganization,
  lockSettings,
  type NewChange,
  putSetting,
  removeSetting,
  type SettingOwner,
  type SettingRow,
  type StoredValue,
} from "./store.ts";

/** The person that changes settings, for the log (1 to 80 characters), and the time (epoch ms). `namedBy`: see `HostsNamedBy`. */
export type SettingsEdit = { by: string; now: number; namedBy?: HostsNamedBy | undefined };

/** The people that named the hosts of settings that have one, by key; those that are left out were named by an operator. */
export type HostsNamedBy = ReadonlyMap<SettingKey, "operator" | "owner">;

function orThrow(result: NewValues | SettingFault): NewValues {
  if ("fault" in result) throw new SettingError(result.fault);
  return result;
}

const json = (value: SettingValue): string | null => (value === null ? null : JSON.stringify(value));

/** Identity can be required only where there is a secret: without one no user could be proved, and all would be refused. */
const NO_SECRET =
  'identity.required needs an identity secret first: make it (Settings in the dashboard, or "tidings identity secret")';

/** The values to store, once those that depend on each other fit together. */
const fittedTogether = (typed: NewValues, rows: ReadonlyMap<string, SettingRow>): NewValues => {
  const kept = (key: SettingKey): unknown => rows.get(key)?.value;
  const from = kept("email.from");
  const model = { url: kept("agent.modelUrl"), hasKey: rows.has("agent.modelKey") };
  const values = orThrow(
    resolveDomain(orThrow(checkModelKey(typed, model)), typeof from === "string" ? from : null),
  );
  return orThrow(checkPeriod(values, { start: kept("org.periodStart"), end: kept("org.periodEnd") }));
};

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
  changes: Readonly<Record<string, string>>,
  { by, now, namedBy }: SettingsEdit,
): Promise<ShownChange[]> {
  const typed = orThrow(readChanges(changes));
  const organizationId = await lockSettings(tx, projectId);
  if (organizationId === null) throw new SettingError("There is no such project");
  if ([...typed.keys()].some(isOrganizationKey)) await lockOrganization(tx, organizationId);
  const rows = await findSettings(tx, projectId);
  const values = fittedTogether(typed, byKey(rows));
  if (values.get("identity.required") === true && (await findIdentitySecret(tx, projectId)) === null)
    throw new SettingError(NO_SECRET);
  const changed = await write(tx, secrets, values, {
    rows: byKey(rows),
    ownerOf: (key) => (isOrganizationKey(key) ? { organizationId } : { projectId }),
    by,
    now,
    namedBy,
  });
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
  changes: Readonly<Record<string, string>>,
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
  changes: Readonly<Record<string, string>>,
  { seen, ...change }: SettingsEdit & Seen,
): Promise<ShownChange[]> {
  const fault = misplaced(Object.keys(changes), "project");
  if (fault !== null) throw new SettingError(fault.fault);
  if ((await lockSettings(tx, projectId)) === null) throw new SettingError("There is no such project");
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
  changes: Readonly<Record<string, string>>,
  { seen, by, now }: SettingsEdit & Seen,
): Promise<ShownChange[]> {
  const fault = misplaced(Object.keys(changes), "organization");
  if (fault !== null) throw new SettingError(fault.fault);
  const typed = orThrow(readChanges(changes));
  const owner = { organizationId };
  await lockOrganization(tx, organizationId);
  await assertUnchanged(tx, owner, changes, { seen });
  const rows = byKey(await findOwnSettings(tx, owner));
  return write(tx, secrets, fittedTogether(typed, rows), { rows, ownerOf: () => owner, by, now });
}

const byKey = (rows: readonly SettingRow[]): ReadonlyMap<string, SettingRow> =>
  new Map(rows.map((row) => [row.key, row]));

type Writing = SettingsEdit & {
  /** What is stored, by key. */
  rows: ReadonlyMap<string, SettingRow>;
  ownerOf: (key: SettingKey) => SettingOwner;
};

/** Writes those of the values that differ from what is stored, and the log of that. Needs the locks of their owners. */
async function write(
  tx: Db,
  secrets: Secrets,
  values: NewValues,
  { rows, ownerOf, by, now, namedBy }: Writing,
): Promise<(ShownChange & { key: SettingKey })[]> {
  const changed: (ShownChange & { key: SettingKey })[] = [];
  const logged: NewChange[] = [];
  for (const [key, value] of values) {
    const owner = ownerOf(key);
    const row = rows.get(key);
    const isSecret = settingOf(key).secret === true;
    // This function wrote what is stored: a plain value, or a sealed one.
    const before = row === undefined ? null : isSecret ? SET : (row.value as SettingValue);
    const isSame = value === null ? row === undefined : !isSecret && row !== undefined && before === value;
    if (isSame) continue;
    if (value === null) await removeSetting(tx, owner, key);
    else {
      const byOperator = namedBy?.get(key) !== "owner";
      await putSetting(tx, owner, key, stored(secrets, owner, key, value), { updatedAt: now, byOperator });
    }
    const after = value !== null && isSecret ? SET : value;
    changed.push({ key, before, after, by, at: now });
    logged.push({ owner, key, before: json(before), after: json(after), changedBy: by, changedAt: now });
  }
  if (logged.length > 0) await insertChanges(tx, logged);
  return changed;
}

function stored(
  secrets: Secrets,
  owner: SettingOwner,
  key: SettingKey,
  value: string | number | boolean,
): StoredValue {
  if (settingOf(key).secret !== true) return { value: JSON.stringify(value), sealed: null };
  if (!("projectId" in owner)) throw new Error("Settings of an organization are kept in clear.");
  return { value: null, sealed: secrets.seal(String(value), settingBinding(owner.projectId, key)) };
}

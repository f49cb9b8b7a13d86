import type { Db } from "../../platform/db/db.ts";
import type { Secrets } from "../../platform/secrets.ts";
import { findIdentitySecret, raiseConfigVersion } from "../access/public.ts";
import { SET, SettingError, type ShownChange, sealedAs } from "./read.ts";
import { checkPeriod, type Fault, type NewValues, readChanges, resolveDomain } from "./rules.ts";
import { isOrganizationKey, type SettingKey, type SettingValue, settingOf } from "./schema.ts";
import {
  findSettings,
  insertChanges,
  lockOrganization,
  lockSettings,
  type Owner,
  putSetting,
  removeSetting,
  type SettingRow,
  type StoredValue,
} from "./store.ts";

/** The person that changes settings, for the log (1 to 80 characters), and the time (epoch ms). */
export type Change = { by: string; now: number };

function orThrow(result: NewValues | Fault): NewValues {
  if ("fault" in result) throw new SettingError(result.fault);
  return result;
}

const json = (value: SettingValue): string | null => (value === null ? null : JSON.stringify(value));

/** Identity can be required only where there is a secret: without one no user could be proved, and all would be refused. */
const NO_SECRET =
  'identity.required needs an identity secret first: "tidings identity secret" makes and shows it';

/** The values to store, once those that depend on each other fit together. */
const fittedTogether = (typed: NewValues, rows: ReadonlyMap<string, SettingRow>): NewValues => {
  const kept = (key: SettingKey): unknown => rows.get(key)?.value;
  const from = kept("email.from");
  const values = orThrow(resolveDomain(typed, typeof from === "string" ? from : null));
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
  { by, now }: Change,
): Promise<ShownChange[]> {
  const typed = orThrow(readChanges(changes));
  const organizationId = await lockSettings(tx, projectId);
  if (organizationId === null) throw new SettingError("There is no such project");
  if ([...typed.keys()].some(isOrganizationKey)) await lockOrganization(tx, organizationId);
  const storedRows = await findSettings(tx, projectId);
  const rows = new Map(storedRows.map((row) => [row.key, row]));

  const values = fittedTogether(typed, rows);
  if (values.get("identity.required") === true && (await findIdentitySecret(tx, projectId)) === null)
    throw new SettingError(NO_SECRET);

  const changed: (ShownChange & { owner: Owner })[] = [];
  for (const [key, value] of values) {
    const owner = isOrganizationKey(key) ? { organizationId } : { projectId };
    const row = rows.get(key);
    const isSecret = settingOf(key).secret === true;
    // This function wrote what is stored: a plain value, or a sealed one.
    const before = row === undefined ? null : isSecret ? SET : (row.value as SettingValue);
    const isSame = value === null ? row === undefined : !isSecret && row !== undefined && before === value;
    if (isSame) continue;
    if (value === null) await removeSetting(tx, owner, key);
    else await putSetting(tx, owner, key, stored(secrets, projectId, key, value), now);
    changed.push({ owner, key, before, after: value !== null && isSecret ? SET : value, by, at: now });
  }
  if (changed.length > 0)
    await insertChanges(
      tx,
      changed.map(({ owner, key, before, after }) => ({
        ...{ owner, key, before: json(before), after: json(after) },
        ...{ changedBy: by, changedAt: now },
      })),
    );
  if (changed.some(({ owner }) => "projectId" in owner)) await raiseConfigVersion(tx, projectId);
  return changed.map(({ owner, ...shown }) => shown);
}

function stored(
  secrets: Secrets,
  projectId: string,
  key: SettingKey,
  value: string | number | boolean,
): StoredValue {
  if (settingOf(key).secret !== true) return { value: JSON.stringify(value), sealed: null };
  return { value: null, sealed: secrets.seal(String(value), sealedAs(projectId, key)) };
}

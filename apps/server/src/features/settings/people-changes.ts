import { type Ctx, personOf } from "../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../platform/http/contract/errors.ts";
import { placeOfHost } from "../../platform/net/public-host.ts";
import { SealError } from "../../platform/secrets/secrets.ts";
import {
  isOrganizationKey,
  type NewValues,
  type SettingGroup,
  type TypedSettings,
} from "../../platform/settings/setting.ts";
import { lockProject } from "../access/public.ts";
import type { HostsNamedBy } from "./change.ts";
import { ownerOf } from "./contract.ts";
import { settingBinding } from "./read.ts";
import { readChanges, settingsByKey } from "./rules.ts";
import { findOwnSettings, type SettingOwner, type SettingRow } from "./store.ts";

type Rows = ReadonlyMap<string, SettingRow>;

const rowsOf = async ({ db }: Ctx, owner: SettingOwner): Promise<Rows> =>
  new Map((await findOwnSettings(db, owner)).map((row) => [row.key, row]));

/** What is kept, opened where it is sealed; null where there is nothing that can be read. */
function keptOf({ app, projectId }: Ctx, rows: Rows, key: string): unknown {
  const row = rows.get(key);
  if (row === undefined) return null;
  if (row.sealed === null) return row.value;
  try {
    return app.secrets.open(row.sealed, settingBinding(projectId, key));
  } catch (cause) {
    if (cause instanceof SealError) return null;
    throw cause;
  }
}

function assertOrganization(ctx: Ctx, values: NewValues, rows: Rows): void {
  if (ctx.app.config.mode !== "managed") return;
  for (const [key, value] of values)
    if (isOrganizationKey(key) && value !== keptOf(ctx, rows, key))
      throw new ApiError("forbidden", `${key} is for operators: one of them has to set it.`);
}

/** Refuses hosts in the server's network. Answers who named each host: one that stays keeps that. */
async function assertHosts(
  ctx: Ctx,
  groups: readonly SettingGroup[],
  values: NewValues,
  rows: Rows,
): Promise<HostsNamedBy> {
  const namedBy = new Map<string, "operator" | "owner">();
  for (const [key, { hostIn }] of settingsByKey(groups)) {
    const value = values.get(key);
    if (hostIn === undefined || typeof value !== "string") continue;
    if (value === keptOf(ctx, rows, key)) {
      namedBy.set(key, rows.get(key)?.byOperator === true ? "operator" : "owner");
      continue;
    }
    namedBy.set(key, "owner");
    const host = hostIn(value);
    if (host === null) continue;
    const { at } = await placeOfHost(host, ctx.app.config);
    if (at === "private")
      throw new ApiError(
        "forbidden",
        `${key} leads to this server or its network: an operator has to set it.`,
      );
    if (at === "nowhere")
      throw new ApiError("invalid_request", `${key}: there is no host ${host}; look at the spelling`);
    if (at === "unasked")
      throw new ApiError("unavailable", `${key}: DNS did not say where ${host} is: try again.`);
  }
  return namedBy;
}

/**
 * What a person may change of settings, which is more for operators: others change nothing of the organization where MODE=managed, name no
 * host of the server's own network, and are limited by the rooms of the settings. What stays as it is is not looked at. Answers the
 * changes, to which rooms add what has to change with them, and who named their hosts. Needs a transaction, before other locks.
 * @throws ApiError forbidden that begins with the key
 */
export async function changesOfPerson(
  ctx: Ctx,
  groups: readonly SettingGroup[],
  typed: TypedSettings,
): Promise<{ changes: TypedSettings; namedBy: HostsNamedBy }> {
  const unchanged = { changes: typed, namedBy: new Map() };
  if (personOf(ctx).isOperator) return unchanged;
  const values = readChanges(groups, typed);
  // What cannot be a value is refused by the change itself, which says why.
  if ("fault" in values) return unchanged;
  const owner = ownerOf(ctx);
  const rows = await rowsOf(ctx, owner);
  assertOrganization(ctx, values, rows);
  if (!("projectId" in owner)) return unchanged;
  const namedBy = await assertHosts(ctx, groups, values, rows);
  // Only now, so that other changes of these settings do not wait while a host is looked up.
  await lockProject(ctx.db, ctx.projectId);
  const kept = await rowsOf(ctx, owner);
  const { db, projectId } = ctx;
  let changes = typed;
  for (const { fit, limitOwner } of groups) {
    const fitted = fit?.(values, kept) ?? values;
    // What does not fit is refused by the change itself as well.
    if (limitOwner === undefined || "fault" in fitted) continue;
    changes = await limitOwner({ db, projectId, typed: changes, values: fitted, kept });
  }
  return { changes, namedBy };
}

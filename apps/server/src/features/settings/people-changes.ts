import { type Ctx, personOf } from "../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../platform/http/contract/errors.ts";
import { placeOfHost } from "../../platform/net/public-host.ts";
import { parseSmtpUrl } from "../../platform/net/smtp-url.ts";
import { SealError } from "../../platform/secrets/secrets.ts";
import type { HostsNamedBy } from "./change.ts";
import { ownerOf } from "./contract.ts";
import { findDkimKey } from "./dkim-store.ts";
import { settingBinding } from "./read.ts";
import { type NewValues, readChanges, resolveDomain } from "./rules.ts";
import { isOrganizationKey, type SettingKey, type SettingValue } from "./schema.ts";
import { findOwnSettings, lockSettings, type SettingOwner, type SettingRow } from "./store.ts";

/** Texts that people typed, by the keys of the settings. */
type Typed = Readonly<Record<string, string>>;
type Rows = ReadonlyMap<string, SettingRow>;

/** The settings that name a host to which the server itself connects, and how each names it. */
const HOSTS: readonly [SettingKey, (value: string) => string | null][] = [
  ["agent.modelUrl", (url) => (URL.canParse(url) ? new URL(url).hostname : null)],
  ["email.smtpUrl", (url) => parseSmtpUrl(url)?.host ?? null],
];

const rowsOf = async ({ db }: Ctx, owner: SettingOwner): Promise<Rows> =>
  new Map((await findOwnSettings(db, owner)).map((row) => [row.key, row]));

/** What is kept, opened where it is sealed; null where there is nothing that can be read. */
function keptOf({ app, projectId }: Ctx, rows: Rows, key: SettingKey): unknown {
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
async function assertHosts(ctx: Ctx, values: NewValues, rows: Rows): Promise<HostsNamedBy> {
  const namedBy = new Map<SettingKey, "operator" | "owner">();
  for (const [key, hostIn] of HOSTS) {
    const value = values.get(key);
    if (typeof value !== "string") continue;
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
 * A domain is marked by hand for the mail server of the project alone: the one that all projects share sends from domains that DNS has shown,
 * or an operator has marked. So a mark by hand goes together with the mail server for which it was made.
 */
async function withMark({ db, projectId }: Ctx, typed: Typed, values: NewValues, rows: Rows): Promise<Typed> {
  const hadOwn = rows.has("email.smtpUrl");
  const server: SettingValue | undefined = values.get("email.smtpUrl");
  const hasOwn = server === undefined ? hadOwn : server !== null;
  const kept = rows.get("email.domainVerified")?.value ?? null;
  const mark = values.has("email.domainVerified") ? values.get("email.domainVerified") : kept;
  if (hasOwn || typeof mark !== "string") return typed;
  if (mark !== kept)
    throw new ApiError(
      "forbidden",
      "email.domainVerified is set by hand by operators, or where the project has a mail server of its own (email.smtpUrl): have DNS asked instead.",
    );
  const isSeen = ((await findDkimKey(db, projectId, mark))?.verifiedAt ?? null) !== null;
  return hadOwn && !isSeen ? { ...typed, "email.domainVerified": "" } : typed;
}

/**
 * What a person may change of settings, which is more for operators: others change nothing of the organization where MODE=managed, name no
 * host of the server's own network, and mark a domain as verified only for a mail server of their project. What stays as it is is not looked
 * at. Answers the changes, to which the end of a mark by hand is added where its mail server goes, and who named their hosts. Needs a
 * transaction, before other locks.
 * @throws ApiError forbidden that begins with the key
 */
export async function changesOfPerson(
  ctx: Ctx,
  typed: Typed,
): Promise<{ changes: Typed; namedBy: HostsNamedBy }> {
  const unchanged = { changes: typed, namedBy: new Map() };
  if (personOf(ctx).isOperator) return unchanged;
  const values = readChanges(typed);
  // What cannot be a value is refused by the change itself, which says why.
  if ("fault" in values) return unchanged;
  const owner = ownerOf(ctx);
  const rows = await rowsOf(ctx, owner);
  assertOrganization(ctx, values, rows);
  if (!("projectId" in owner)) return unchanged;
  const namedBy = await assertHosts(ctx, values, rows);
  // Only now, so that other changes of these settings do not wait while a host is looked up.
  await lockSettings(ctx.db, ctx.projectId);
  const locked = await rowsOf(ctx, owner);
  const from = locked.get("email.from")?.value;
  const resolved = resolveDomain(values, typeof from === "string" ? from : null);
  const changes = "fault" in resolved ? typed : await withMark(ctx, typed, resolved, locked);
  return { changes, namedBy };
}

import { type Ctx, personOf } from "../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../platform/http/contract/errors.ts";
import { plainHost } from "../../../platform/net/public-host.pure.ts";
import { placeOfHost } from "../../../platform/net/public-host.ts";
import { statedHostOf } from "../git/url.pure.ts";
import { addressFault, MOST_SOURCES, sealGiven } from "./manage.ts";
import { findSource, listMappings, type SourceRow } from "./store.ts";
import { toSource } from "./view.ts";

/** What people say of a repository. */
type Given = { credential?: string | null | undefined; knownHosts?: string | undefined };

/** @throws ApiError not_found */
export async function requireSource(
  { db, projectId }: Pick<Ctx, "db" | "projectId">,
  id: string,
  lock: "read" | "for update" = "read",
): Promise<SourceRow> {
  const source = await findSource(db, projectId, id, lock);
  if (source === null) throw new ApiError("not_found", "Source not found");
  return source;
}

/**
 * Refuses an address that this person may not connect. Files of the server, plain HTTP and hosts of its network are for those who run it: an
 * owner of one project must not reach what lies behind its door. A host that stays (`before`) is not looked at again.
 */
export async function assertAddress(
  ctx: Ctx,
  source: Pick<SourceRow, "url" | "kind">,
  before: string | null = null,
): Promise<void> {
  const { isOperator } = personOf(ctx);
  const fault = addressFault(source, { allowPrivate: ctx.app.config.sourcesPrivate && isOperator });
  if (fault !== null) throw new ApiError("invalid_request", `url ${fault}`);
  if (isOperator || source.url === before) return;
  const host = statedHostOf(source.url);
  const unclear = new ApiError("invalid_request", "url must name a plain host");
  if (host === null) throw unclear;
  const { at } = await placeOfHost(host, ctx.app.config);
  if (at === "private")
    throw new ApiError(
      "forbidden",
      "url leads to this server or its network: an operator has to connect it.",
    );
  // What is kept has to be read by git as it was here: without a dot at the end, and with no number in another form.
  if (plainHost(host) !== host.toLowerCase().replace(/^\[|\]$/g, "")) throw unclear;
  if (at === "nowhere")
    throw new ApiError("invalid_request", `url: there is no host ${host}; look at the spelling`);
  if (at === "unasked") throw new ApiError("unavailable", `DNS did not say where ${host} is: try again.`);
}

/** The credential that people gave, sealed; null for none, undefined where it is to stay. */
export function sealedOf(
  { app, projectId }: Ctx,
  id: string,
  { credential, knownHosts }: Given,
): Buffer | null | undefined {
  if (knownHosts !== undefined && typeof credential !== "string")
    throw new ApiError("invalid_request", "knownHosts must be given together with a credential");
  if (credential === undefined || credential === null) return credential;
  const kept = sealGiven(app.secrets, { projectId, id }, { credential, knownHosts: knownHosts ?? null });
  if ("fault" in kept) throw new ApiError("invalid_request", `credential ${kept.fault}`);
  return kept.sealed;
}

/** A source as the API shows it, with its mappings. */
export async function viewSource(ctx: Pick<Ctx, "db" | "projectId">, id: string) {
  const source = await requireSource(ctx, id);
  return toSource(source, await listMappings(ctx.db, ctx.projectId, id));
}

export const tooManySources = (): ApiError =>
  new ApiError("conflict", `A project has at most ${MOST_SOURCES} sources.`);

import type { Ctx } from "../../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../../platform/http/contract/errors.ts";
import { type Port, port } from "../../../../platform/runtime.ts";
import { canonicalHash } from "../../../../platform/text/canonical.ts";
import type { Declaration, SourceChange, UpdateCampaignBody } from "../schema.ts";
import { type DeclaredChange, listDeclared, replaceDeclared } from "./declaration-store.ts";

/** Called in the transaction in which a campaign declares changes of these sources. */
export const changesDeclared: Port<
  (where: Pick<Ctx, "db" | "projectId" | "now">, sourceIds: readonly string[]) => Promise<void>
> = port("changes declared");

/** What a campaign declares, as the API shows it. Its revision says what it contains, so the same declaration has the same one. */
export function declarationOf(declared: readonly DeclaredChange[]): Declaration {
  const changes = declared.map(({ change }) => change);
  return { revision: canonicalHash(changes), changes };
}

/** Writes what a campaign (UUID) announces. Needs the transaction that writes the campaign. */
export async function declareChanges(
  ctx: Ctx,
  campaignId: string,
  changes: readonly SourceChange[],
): Promise<void> {
  const { db, projectId, now } = ctx;
  await replaceDeclared(db, projectId, campaignId, changes, now);
  const sourceIds = [...new Set(changes.map(({ sourceId }) => sourceId))];
  if (sourceIds.length > 0) await ctx.app.ask(changesDeclared)({ db, projectId, now }, sourceIds);
}

/**
 * Replaces what a locked campaign (UUID) announces, where the request does so and has seen the declaration of now.
 * @throws ApiError conflict `stale_revision`
 */
export async function replaceDeclaration(
  ctx: Ctx,
  campaignId: string,
  wanted: UpdateCampaignBody["sourceChanges"],
): Promise<void> {
  if (wanted === undefined) return;
  const declared = await listDeclared(ctx.db, ctx.projectId, [campaignId]);
  const { revision } = declarationOf(declared.get(campaignId) ?? []);
  if (wanted.expectedRevision !== revision)
    throw new ApiError(
      "conflict",
      "sourceChanges.expectedRevision is stale: read the campaign again, and declare its changes once more.",
      { fields: { reason: "stale_revision", revision } },
    );
  await declareChanges(ctx, campaignId, wanted.changes);
}

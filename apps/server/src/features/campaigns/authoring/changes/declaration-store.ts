import { sql } from "kysely";
import type { Db } from "../../../../platform/db/db.ts";
import { newUuid } from "../../../../platform/uuid.ts";
import type { SourceChange } from "../schema.ts";

/** A declared change with its id (UUID), which it keeps for as long as it is declared. */
export type DeclaredChange = { id: string; change: SourceChange };

type Row = {
  id: string;
  campaignId: string;
  sourceId: string;
  kind: "commit" | "pull_request";
  number: number | null;
  shas: string[];
};

function toChange({ sourceId, kind, number, shas }: Row): SourceChange {
  if (kind === "commit") return { sourceId, kind, sha: shas[0] ?? "" };
  return { sourceId, kind, number: number ?? 0, shas };
}

/** What makes two declared changes of a campaign the same one. */
const keyOf = (change: SourceChange): string => JSON.stringify(change);

/** The declared changes of campaigns, each in the order of its declaration. */
export async function listDeclared(
  db: Db,
  projectId: string,
  campaignIds: readonly string[],
): Promise<ReadonlyMap<string, DeclaredChange[]>> {
  if (campaignIds.length === 0) return new Map();
  const rows = await db
    .selectFrom("sourceChanges")
    .select(["id", "campaignId", "sourceId", "kind", "number", "shas"])
    .where("projectId", "=", projectId)
    .where("campaignId", "in", campaignIds)
    .orderBy("campaignId")
    .orderBy("position")
    .execute();
  const declared = rows.map((row) => ({ ...row, declared: { id: row.id, change: toChange(row) } }));
  const grouped = Map.groupBy(declared, (row) => row.campaignId);
  return new Map([...grouped].map(([id, group]) => [id, group.map((row) => row.declared)]));
}

/** Replaces what a campaign (UUID, locked or just inserted) declares. A change that stays keeps its id. Needs a transaction. */
export async function replaceDeclared(
  db: Db,
  projectId: string,
  campaignId: string,
  changes: readonly SourceChange[],
  now: number,
): Promise<void> {
  const before = (await listDeclared(db, projectId, [campaignId])).get(campaignId) ?? [];
  const idOf = new Map(before.map(({ id, change }) => [keyOf(change), id]));
  const rows = changes.map((change, position) => ({
    id: idOf.get(keyOf(change)) ?? newUuid(now),
    projectId,
    campaignId,
    position,
    sourceId: change.sourceId,
    kind: change.kind,
    number: change.kind === "pull_request" ? change.number : null,
    shas: change.kind === "pull_request" ? change.shas : [change.sha],
  }));
  await db
    .deleteFrom("sourceChanges")
    .where("projectId", "=", projectId)
    .where("campaignId", "=", campaignId)
    .where("id", "not in", rows.map(({ id }) => id).concat("00000000-0000-0000-0000-000000000000"))
    .execute();
  if (rows.length === 0) return;
  await db
    .insertInto("sourceChanges")
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .column("id")
        .doUpdateSet({ position: sql<number>`excluded.position` })
        .where("sourceChanges.projectId", "=", projectId),
    )
    .execute();
}

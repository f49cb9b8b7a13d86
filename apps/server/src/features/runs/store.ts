import { type Selectable, sql } from "kysely";
import { apiId, uuidFor } from "../../domain/ids.ts";
import type { Db, Tables } from "../../platform/db/db.ts";
import { t } from "../../platform/db/statements/table-names.ts";
import { announce } from "../webhooks/public.ts";
import { hashOfRun, type RunContent } from "./chain/chain.ts";
import { variantsNamedIn } from "./rules.ts";
import type { AgentRun, RunReferences, RunWriter } from "./schema.ts";

type RunRow = Selectable<Tables["agentRuns"]>;
type ContentRow = Omit<RunRow, "projectId" | "idempotencyKey" | "seq" | "prevHash" | "hash">;

const toContent = (row: ContentRow): RunContent => ({
  id: apiId("run", row.id),
  kind: row.kind,
  goalId: row.goalId === null ? null : apiId("goal", row.goalId),
  campaignId: row.campaignId === null ? null : apiId("cmp", row.campaignId),
  // Only checked objects and lists are written to these columns.
  input: row.input as AgentRun["input"],
  output: row.output as AgentRun["output"],
  rationale: row.rationale,
  createdAt: row.createdAt,
  writtenBy: row.writtenBy,
});

export const toRun = (row: RunRow): AgentRun => ({
  ...toContent(row),
  chain:
    row.seq === null || row.hash === null || row.prevHash === null
      ? null
      : { seq: row.seq, hash: row.hash, prevHash: row.prevHash },
});

/** `goalId` and `campaignId` are UUIDs of the request, which may not exist; `input` and `output` are compact JSON. */
export type NewRun = {
  id: string;
  kind: string;
  goalId: string;
  campaignId: string;
  input: string | null;
  output: string | null;
  rationale: string | null;
  idempotencyKey: string | null;
  createdAt: number;
  writtenBy: Exclude<RunWriter, "import">;
};

/**
 * The UUIDs of the campaign and the goal that a run names, or null, locked against deletion: the run's foreign keys lock them as well,
 * and campaigns come before the head of the chain in the order of locks.
 */
async function lockReferences(
  db: Db,
  projectId: string,
  { goalId, campaignId }: Pick<NewRun, "goalId" | "campaignId">,
): Promise<{ goalId: string | null; campaignId: string | null }> {
  const { rows } = await sql<{ goalId: string | null; campaignId: string | null }>`
    select (select id from ${t.campaigns} where project_id = ${projectId} and id = ${campaignId} for key share) as "campaignId",
      (select id from ${t.goals} where project_id = ${projectId} and id = ${goalId} for key share) as "goalId"`.execute(
    db,
  );
  return rows[0] ?? { goalId: null, campaignId: null };
}

/** The last link of a project's chain, locked until the transaction ends, so that the next run follows this one alone. */
async function lockHead(db: Db, projectId: string): Promise<{ seq: number; hash: string }> {
  const lock = () =>
    db.selectFrom("agentRunHeads").select(["seq", "hash"]).where("projectId", "=", projectId).forUpdate();
  const head = await lock().executeTakeFirst();
  if (head !== undefined) return head;
  await db
    .insertInto("agentRunHeads")
    .values({ projectId, seq: 0, hash: "" })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return lock().executeTakeFirstOrThrow();
}

/**
 * Logs a run as the next one of its project's chain, or answers the earlier one with the same idempotencyKey; others of the project wait
 * until this transaction ends. A goal or campaign that the project does not have is left out of the answer. Needs a transaction.
 */
export async function insertRun(
  db: Db,
  projectId: string,
  { goalId, campaignId, ...run }: NewRun,
): Promise<{ run: AgentRun; isNew: boolean }> {
  const found = { ...run, ...(await lockReferences(db, projectId, { goalId, campaignId })) };
  const { seq: last, hash: prevHash } = await lockHead(db, projectId);
  const seq = last + 1;
  const json = (text: string | null): unknown => (text === null ? null : JSON.parse(text));
  const content = toContent({ ...found, input: json(run.input), output: json(run.output) });
  const hash = hashOfRun(content, { projectId, seq, prevHash });
  const row = await db
    .with("linked", (query) =>
      query
        .insertInto("agentRuns")
        .values({ ...found, projectId, seq, prevHash, hash })
        .onConflict((conflict) => conflict.columns(["projectId", "idempotencyKey"]).doNothing())
        .returningAll(),
    )
    .with("moved", (query) =>
      query
        .updateTable("agentRunHeads")
        .set({ seq, hash })
        .where("projectId", "=", projectId)
        .where(({ exists, selectFrom }) => exists(selectFrom("linked").select("linked.id"))),
    )
    .selectFrom("linked")
    .selectAll()
    .executeTakeFirst();
  if (row !== undefined) {
    const { id, kind, rationale, writtenBy, createdAt: at } = row;
    const data = { runId: apiId("run", id), kind, writtenBy, rationale };
    const announced = { type: "run.created", object: id, campaignId: row.campaignId, at, data } as const;
    await announce(db, projectId, announced);
    return { run: toRun(row), isNew: true };
  }
  const original = await db
    .selectFrom("agentRuns")
    .selectAll()
    .where("projectId", "=", projectId)
    .where("idempotencyKey", "=", run.idempotencyKey)
    .executeTakeFirstOrThrow();
  return { run: toRun(original), isNew: false };
}

/** `undefined` does not filter; ids are UUIDs. */
export type RunFilter = {
  id?: string | undefined;
  kind?: string | undefined;
  writtenBy?: RunWriter | undefined;
  goalId?: string | undefined;
  campaignId?: string | undefined;
};

const variantNames = (db: Db, projectId: string) =>
  db.selectFrom("variants").select(["id", "name"]).where("projectId", "=", projectId);

const byApiId = (rows: readonly { id: string; name: string }[]): Record<string, string> =>
  Object.fromEntries(rows.map(({ id, name }) => [apiId("var", id), name]));

/** The names of variants by their ids; of those alone that the project has. */
async function findVariantNames(
  db: Db,
  projectId: string,
  ids: readonly string[],
): Promise<Record<string, string>> {
  const uuids = ids.map((id) => uuidFor("var", id));
  return byApiId(await variantNames(db, projectId).where("id", "in", uuids).execute());
}

/** The names of a campaign's variants by their ids. */
export async function findVariantNamesOf(
  db: Db,
  projectId: string,
  campaignUuid: string,
): Promise<Record<string, string>> {
  return byApiId(await variantNames(db, projectId).where("campaignId", "=", campaignUuid).execute());
}

/** Newest first, with the names of the goals and campaigns of these runs, and of the variants that their reasons name. */
export async function listRuns(
  db: Db,
  projectId: string,
  filter: RunFilter,
  window: { offset: number; limit: number },
): Promise<{ runs: AgentRun[]; references: RunReferences; total: number }> {
  let matching = db.selectFrom("agentRuns as r").where("r.projectId", "=", projectId);
  for (const column of ["id", "kind", "writtenBy", "goalId", "campaignId"] as const) {
    const wanted = filter[column];
    if (wanted !== undefined) matching = matching.where(`r.${column}`, "=", wanted);
  }
  const { total } = await matching.select(sql<number>`count(*)`.as("total")).executeTakeFirstOrThrow();
  const rows = await matching
    .leftJoin("goals as g", "g.id", "r.goalId")
    .leftJoin("campaigns as c", "c.id", "r.campaignId")
    .selectAll("r")
    .select(["g.name as goalName", "c.name as campaignName"])
    .orderBy("r.createdAt", "desc")
    .orderBy("r.id", "desc")
    .offset(window.offset)
    .limit(window.limit)
    .execute();
  const named = variantsNamedIn(rows.map(({ rationale }) => rationale));
  const references: RunReferences = {
    goals: {},
    campaigns: {},
    ...(named.length > 0 && { variants: await findVariantNames(db, projectId, named) }),
  };
  const runs = rows.map(({ goalName, campaignName, ...row }) => {
    const run = toRun(row);
    if (run.goalId !== null && goalName !== null) references.goals[run.goalId] = goalName;
    if (run.campaignId !== null && campaignName !== null) references.campaigns[run.campaignId] = campaignName;
    return run;
  });
  return { runs, references, total };
}

/** The run of a UUID, or null where the project has none. */
export async function findRun(db: Db, projectId: string, uuid: string): Promise<AgentRun | null> {
  const row = await db
    .selectFrom("agentRuns")
    .selectAll()
    .where("projectId", "=", projectId)
    .where("id", "=", uuid)
    .executeTakeFirst();
  return row === undefined ? null : toRun(row);
}

/** A run of the chain by its number: its id as the API writes it, and its hash. */
type Neighbour = { id: string; hash: string };

/** The runs before and after a number of the chain, and the hash with which the chain begins. */
export async function findNeighbours(
  db: Db,
  projectId: string,
  seq: number,
): Promise<{ previous: Neighbour | null; next: Neighbour | null; startHash: string }> {
  const rows = await db
    .selectFrom("agentRuns")
    .select(["id", "seq", "hash"])
    .where("projectId", "=", projectId)
    .where("seq", "in", [seq - 1, seq + 1])
    .execute();
  const head = await db
    .selectFrom("agentRunHeads")
    .select(["startHash", "startSeq"])
    .where("projectId", "=", projectId)
    .executeTakeFirst();
  const neighbourAt = (wanted: number): Neighbour | null => {
    const row = rows.find((each) => each.seq === wanted);
    return row === undefined ? null : { id: apiId("run", row.id), hash: row.hash ?? "" };
  };
  const isFirst = seq - 1 === (head?.startSeq ?? 0);
  // A run that is missing before this one has no hash that could be the right one.
  const startHash = isFirst ? (head?.startHash ?? "") : "missing";
  return { previous: neighbourAt(seq - 1), next: neighbourAt(seq + 1), startHash };
}

/** Whether the project has a run of this UUID. */
export async function hasRun(db: Db, projectId: string, uuid: string): Promise<boolean> {
  const row = await db
    .selectFrom("agentRuns")
    .select("id")
    .where("projectId", "=", projectId)
    .where("id", "=", uuid)
    .executeTakeFirst();
  return row !== undefined;
}

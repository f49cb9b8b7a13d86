import { sql } from "kysely";
import { apiId } from "../../../domain/ids.ts";
import type { Connection, Db } from "../../../platform/db/db.ts";
import { rowsStatement, valuesStatement } from "../../../platform/db/statements/statement.ts";
import { t } from "../../../platform/db/statements/table-names.ts";
import type { ArmAllocation } from "./arm-allocation.ts";

type OfJourney = { projectId: string; journeyId: string };

/** The newest epoch of a journey, 0 before the first, with what its arms had; and the epochs of the campaigns of its steps, by their ids in the API. */
export type JourneyEpoch = {
  epoch: number;
  arms: ArmAllocation[];
  campaignEpochs: ReadonlyMap<string, number>;
};

type EpochRow = {
  epoch: number;
  arms: ArmAllocation[] | null;
  campaigns: { id: string; epoch: number }[] | null;
};

const findEpochRow = valuesStatement<OfJourney, EpochRow>(
  { name: "find_journey_epoch", reach: "config" },
  { projectId: "uuid", journeyId: "uuid" },
  ({ projectId, journeyId }) => `
  select n.epoch, (
      select jsonb_agg(jsonb_build_object('arm', a.arm, 'weight', a.weight, 'contentDigest', a.content_digest))
      from ${t.journeyAllocations} a where a.journey_id = ${journeyId} and a.project_id = ${projectId} and a.epoch = n.epoch
    ) as arms, (
      select jsonb_agg(jsonb_build_object('id', c.id, 'epoch', c.epoch))
      from ${t.campaigns} c where c.journey_id = ${journeyId} and c.project_id = ${projectId}
    ) as campaigns
  from (
    select coalesce(max(epoch), 0) as epoch from ${t.journeyAllocations} where journey_id = ${journeyId} and project_id = ${projectId}
  ) n`,
);

/** The newest epoch of a journey, and what it is compared with. */
export async function findEpoch(client: Connection, journey: OfJourney): Promise<JourneyEpoch> {
  const [row] = await findEpochRow(client, journey);
  const campaigns = (row?.campaigns ?? []).map(({ id, epoch }): [string, number] => [
    apiId("cmp", id),
    epoch,
  ]);
  return { epoch: row?.epoch ?? 0, arms: row?.arms ?? [], campaignEpochs: new Map(campaigns) };
}

/** Has the transactions that open an epoch of a journey do so one after the other. */
export const lockEpochs = valuesStatement<Pick<OfJourney, "journeyId">, Record<never, never>>(
  { name: "lock_journey_epochs", reach: "local" },
  { journeyId: "text" },
  ({ journeyId }) => `select pg_advisory_xact_lock(hashtext('journey epochs'), hashtext(${journeyId}))`,
);

/** Writes what the arms of a journey have from an epoch on. `startedAt` is epoch milliseconds. */
export const insertAllocations = rowsStatement<
  OfJourney & ArmAllocation & { epoch: number; startedAt: number },
  Record<never, never>
>(
  { name: "insert_journey_allocations", reach: "config" },
  {
    projectId: "uuid",
    journeyId: "uuid",
    epoch: "int4",
    arm: "text",
    weight: "int4",
    contentDigest: "text",
    startedAt: "int8",
  },
  `
  insert into ${t.journeyAllocations} (journey_id, epoch, arm, project_id, weight, content_digest, started_at)
  select i.journey_id, i.epoch, i.arm, i.project_id, i.weight, i.content_digest, i.started_at from input i order by i.ord`,
);

/** What each arm of a journey had in each of its epochs. */
export async function readArmAllocations(
  db: Db,
  projectId: string,
  journeyId: string,
): Promise<(ArmAllocation & { epoch: number; startedAt: number })[]> {
  return db
    .selectFrom("journeyAllocations")
    .select(["epoch", "arm", "weight", "contentDigest", "startedAt"])
    .where("projectId", "=", projectId)
    .where("journeyId", "=", journeyId)
    .execute();
}

/** Writes another digest of an arm in the place of one, in all epochs of an imported journey. */
export async function renameDigest(
  db: Db,
  projectId: string,
  journeyId: string,
  { arm, from, to }: { arm: string; from: string; to: string },
): Promise<void> {
  await sql`
    update ${t.journeyAllocations} set content_digest = ${to}
    where project_id = ${projectId} and journey_id = ${journeyId} and arm = ${arm} and content_digest = ${from}`.execute(
    db,
  );
}

/** The journeys of a project that were launched, with what they are. */
export async function listLaunched(
  db: Db,
  projectId: string,
): Promise<{ id: string; definition: unknown }[]> {
  return db
    .selectFrom("journeys")
    .select(["id", "definition"])
    .where("projectId", "=", projectId)
    .where("startedAt", "is not", null)
    .execute();
}

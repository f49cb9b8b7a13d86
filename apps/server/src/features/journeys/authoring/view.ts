import { apiId } from "../../../domain/ids.ts";
import type { Db } from "../../../platform/db/db.ts";
import { describeAudience } from "../../audience/language/public.ts";
import type { StoredAudience } from "../../audience/language/schema.ts";
import { findSegmentKeys } from "../../audience/segments/public.ts";
import type { Definition, Journey } from "./schema.ts";
import { type JourneyRow, listStepCampaigns } from "./store.ts";
import { readDefinition } from "./stored.pure.ts";

type Campaigns = ReadonlyMap<string, Awaited<ReturnType<typeof listStepCampaigns>>[number]>;
type SegmentKeys = ReadonlyMap<string, string>;

const shown = (stored: StoredAudience, keys: SegmentKeys) =>
  describeAudience(stored, stored.kind === "segment" ? (keys.get(stored.segmentId) ?? null) : null).audience;

function shownSteps({ steps }: Definition, campaigns: Campaigns, keys: SegmentKeys): Journey["steps"] {
  return steps.map((step) => {
    if (step.kind === "if") return { ...step, audience: shown(step.audience, keys) };
    if (step.kind !== "send") return step;
    const campaign = campaigns.get(step.campaignId);
    if (campaign === undefined) throw new Error(`The campaign of a step is gone: ${step.campaignId}`);
    const { channel, name, status } = campaign;
    return { ...step, channel, name, campaignStatus: status };
  });
}

/** What a journey without a readable definition is shown as: one that no user goes through. */
const UNREADABLE: Definition = {
  entry: { on: "request" },
  audience: null,
  again: null,
  exit: { onGoal: false, events: [] },
  steps: [],
};

/** The segments that a definition pins, by their ids in the API. */
const segmentsOf = ({ audience, steps }: Definition): string[] =>
  [audience, ...steps.map((step) => (step.kind === "if" ? step.audience : null))].flatMap((stored) =>
    stored?.kind === "segment" ? [stored.segmentId] : [],
  );

/** Journeys as the API shows them, in the order of the rows. */
export async function viewJourneys(
  db: Db,
  projectId: string,
  rows: readonly JourneyRow[],
): Promise<Journey[]> {
  const found = await listStepCampaigns(
    db,
    projectId,
    rows.map(({ id }) => id),
  );
  const campaigns = new Map(found.map((campaign) => [apiId("cmp", campaign.id), campaign]));
  const definitions = rows.map((row) => readDefinition(row.definition) ?? UNREADABLE);
  const pinned = [...new Set(definitions.flatMap(segmentsOf))].map((id) => id.slice("seg_".length));
  const keys = new Map(
    [...(pinned.length === 0 ? [] : await findSegmentKeys(db, projectId, pinned))].map(([id, key]) => [
      apiId("seg", id),
      key,
    ]),
  );
  return rows.map((row, index) => {
    const definition = definitions[index] ?? UNREADABLE;
    return {
      id: apiId("jrn", row.id),
      name: row.name,
      status: row.status,
      version: row.version,
      goalId: row.goalId === null ? null : apiId("goal", row.goalId),
      entry: definition.entry,
      audience: definition.audience === null ? null : shown(definition.audience, keys),
      again: definition.again,
      exit: definition.exit,
      steps: shownSteps(definition, campaigns, keys),
      createdBy: row.createdBy,
      createdAt: row.createdAt,
      updatedAt: row.updatedAt,
      startedAt: row.startedAt,
      endedAt: row.endedAt,
    };
  });
}

/** One journey as the API shows it. */
export async function viewJourney(db: Db, projectId: string, row: JourneyRow): Promise<Journey> {
  const [journey] = await viewJourneys(db, projectId, [row]);
  if (journey === undefined) throw new Error("A journey is shown as none.");
  return journey;
}

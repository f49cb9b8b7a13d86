import { z } from "zod";
import { apiId } from "../../../../domain/ids.ts";
import { endpoint } from "../../../../platform/http/contract/endpoint.ts";
import { epochMs, text } from "../../../../platform/http/contract/fields.ts";
import { pageAnswer, pageFields, pageQuery, pageWindow } from "../../../../platform/http/contract/page.ts";
import { effectiveStatus } from "../../../campaigns/authoring/rules.ts";
import { EffectiveStatus } from "../../../campaigns/authoring/schema.ts";
import { evaluationPlace } from "../rules.ts";
import { listPlanned, type PlannedRow } from "./planned-store.ts";

const id = text(128);

const Planned = z
  .object({
    campaignId: id.describe("The campaign that it is about."),
    name: text(80).describe("The campaign's name."),
    effectiveStatus: EffectiveStatus.describe("Its state at this moment, with the delivery window."),
    goalId: id.nullable().describe("The campaign's goal; null where it was taken away."),
    goalName: text(80).nullable().describe("The goal's name."),
    nextEvaluationAt: epochMs
      .nullable()
      .describe("When an agent looks at it next, epoch milliseconds; null where none is planned."),
    place: z
      .enum(["planned", "due", "evaluating", "awaiting_decision", "resting"])
      .describe(
        "`due`: an agent may take it now. `evaluating`: one has it. `awaiting_decision`: a proposal waits for people. `resting`: its instant is there, and its status or goal keeps agents away; or none is planned.",
      ),
    dueSince: epochMs.nullable().describe("Since when it is due, epoch milliseconds; null where it is not."),
    leasedUntil: epochMs.nullable().describe("Until when an agent has it, epoch milliseconds."),
    proposalId: id.nullable().describe("The proposal that waits for people."),
  })
  .meta({ id: "PlannedEvaluation" });

function toPlanned(row: PlannedRow, now: number): z.input<typeof Planned> {
  const place = evaluationPlace(row, now);
  return {
    campaignId: apiId("cmp", row.campaignId),
    name: row.name,
    effectiveStatus: effectiveStatus(row.status, row, now),
    goalId: row.goalId === null ? null : apiId("goal", row.goalId),
    goalName: row.goalName,
    nextEvaluationAt: row.evaluationAt,
    place,
    dueSince: place === "due" ? row.dueSince : null,
    leasedUntil: row.leasedUntil,
    proposalId: row.proposalId === null ? null : apiId("prop", row.proposalId),
  };
}

export const listEvaluations = endpoint(
  {
    id: "listEvaluations",
    method: "GET",
    path: "/api/people/evaluations",
    tag: "Agent",
    summary: "List the campaigns that agents look after, with their next evaluation, the next one first",
    keys: [],
    people: "viewer",
    oneInstant: true,
    query: z.object(pageQuery()),
    result: z.object({ evaluations: z.array(Planned).max(100), ...pageFields }),
  },
  async ({ db, projectId, now }, { query }) => {
    const { rows, total } = await listPlanned(db, projectId, now, pageWindow(query));
    return { evaluations: rows.map((row) => toPlanned(row, now)), ...pageAnswer(query, total) };
  },
);

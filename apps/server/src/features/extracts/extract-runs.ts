import { z } from "zod";
import { uuidFor, uuidOf } from "../../domain/ids.ts";
import { ApiError } from "../../platform/http/contract/errors.ts";
import { text } from "../../platform/http/contract/fields.ts";
import { type AgentRun, RunWriter } from "../runs/schema.ts";
import { type Column, fileLines } from "./lines.pure.ts";
import { list } from "./list.ts";
import { findRunPlace, nextRuns, type RunPlace } from "./runs-store.ts";
import { afterRow, campaignId, since, until } from "./schema.ts";
import type { Table } from "./table.ts";
import { walk } from "./walk.ts";

const COLUMNS: readonly Column<AgentRun>[] = [
  ["id", ({ id }) => id],
  ["createdAt", ({ createdAt }) => createdAt, "instant"],
  ["kind", ({ kind }) => kind],
  ["writtenBy", ({ writtenBy }) => writtenBy],
  ["goalId", ({ goalId }) => goalId],
  ["campaignId", ({ campaignId: id }) => id],
  ["rationale", ({ rationale }) => rationale],
  ["input", ({ input }) => input, "json"],
  ["output", ({ output }) => output, "json"],
  ["seq", ({ chain }) => chain?.seq, "number"],
  ["hash", ({ chain }) => chain?.hash],
];

/** All runs. */
export const runTable: Table<AgentRun, RunPlace> = {
  columns: COLUMNS,
  open:
    async ({ db, projectId, now }) =>
    (after) =>
      nextRuns(db, projectId, { until: now }, after),
};

export const runExtract = list(
  {
    name: "runs",
    id: "extractRuns",
    audit: "took out a list of what agents did",
    summary: "Take out the decisions of agents as a file",
    description: "Oldest first. `since` and `until` include their instant.",
    query: z.object({
      since,
      until,
      campaignId,
      kind: text(200, 0).optional().describe("Only runs of this kind."),
      writtenBy: RunWriter.optional().describe("Only runs that this one wrote."),
      goalId: text(200, 0).optional().describe("Only runs of this goal."),
      after: afterRow("the run"),
    }),
  },
  async ({ db, projectId, now }, { after: behind, until: last, ...narrowed }, format) => {
    const start =
      behind === undefined
        ? null
        : await findRunPlace(db, projectId, uuidOf("run", behind) ?? uuidFor("run", null));
    if (behind !== undefined && start === null)
      throw new ApiError("invalid_request", "query.after must be the id of a run that the list has");
    const chosen = {
      ...narrowed,
      until: Math.min(last ?? now, now),
      goalId: narrowed.goalId === undefined ? undefined : uuidFor("goal", narrowed.goalId),
      campaignId: narrowed.campaignId === undefined ? undefined : uuidFor("cmp", narrowed.campaignId),
    };
    return fileLines(
      format,
      COLUMNS,
      walk((place) => nextRuns(db, projectId, chosen, place), start),
    );
  },
);

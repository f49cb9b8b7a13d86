import { z } from "zod";
import { endpoint } from "../../../platform/http/contract/endpoint.ts";
import { text } from "../../../platform/http/contract/fields.ts";
import { pageAnswer, pageFields, pageQuery, pageWindow } from "../../../platform/http/contract/page.ts";
import { StoredStatus } from "../../campaigns/authoring/schema.ts";
import { Journey } from "./schema.ts";
import { listJourneyRows } from "./store.ts";
import { viewJourneys } from "./view.ts";

export const listJourneys = endpoint(
  {
    id: "listJourneys",
    method: "GET",
    path: "/api/v1/journeys",
    tag: "Journeys",
    summary: "List journeys, newest first",
    keys: ["secret", "agent"],
    people: "viewer",
    budget: "campaigns",
    tool: {},
    oneInstant: true,
    query: z.object({
      status: StoredStatus.optional().describe("Only journeys in this state."),
      q: text(200, 0).optional().describe("Part of the name, whatever its case."),
      ...pageQuery(100),
    }),
    result: z.object({ journeys: z.array(Journey).max(100).describe("The journeys."), ...pageFields }),
  },
  async ({ db, projectId }, { query }) => {
    const { rows, total } = await listJourneyRows(
      db,
      projectId,
      { status: query.status ?? null, nameContains: query.q ?? null },
      pageWindow(query),
    );
    return { journeys: await viewJourneys(db, projectId, rows), ...pageAnswer(query, total) };
  },
);

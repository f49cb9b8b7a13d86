import { z } from "zod";
import { apiId } from "../../domain/ids.ts";
import { endpoint } from "../../platform/http/contract/endpoint.ts";
import { epochMs, text } from "../../platform/http/contract/fields.ts";
import { listOpenBreaches } from "./store.ts";

const MOST = 1_000;
const id = text(128);

const Breach = z
  .object({
    runId: id.describe("The run that records the pause."),
    campaignId: id.describe("The campaign that it is about."),
    campaignName: text(80).describe("Its name."),
    guardrail: text(64).describe("The limit of the goal."),
    limit: z.number().describe("What it allowed."),
    observed: z.number().describe("What there was."),
    breachedAt: epochMs.describe("When the campaign was paused, epoch milliseconds."),
  })
  .meta({ id: "GuardrailBreach" });

export const listBreaches = endpoint(
  {
    id: "listBreaches",
    method: "GET",
    path: "/api/people/guardrails/breaches",
    tag: "Goals",
    summary:
      "List the campaigns that are paused for a limit of their goal until a person clears it, newest first",
    keys: [],
    people: "viewer",
    result: z.object({
      breaches: z.array(Breach).max(MOST).describe("The last one of each campaign, the newest 1,000."),
    }),
  },
  async ({ db, projectId }) => ({
    breaches: (await listOpenBreaches(db, projectId, MOST)).map((row) => ({
      runId: apiId("run", row.runId),
      campaignId: apiId("cmp", row.campaignId),
      campaignName: row.campaignName,
      guardrail: row.guardrail,
      limit: row.limitValue,
      observed: row.observed,
      breachedAt: row.breachedAt,
    })),
  }),
);

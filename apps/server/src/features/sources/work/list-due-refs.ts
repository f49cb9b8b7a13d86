import { z } from "zod";
import { apiId } from "../../../domain/ids.ts";
import { endpoint } from "../../../platform/http/contract/endpoint.ts";
import { count } from "../../../platform/http/contract/fields.ts";
import { DAY_MS } from "../../../platform/time/clock.ts";
import { creditsUsed } from "../../agent/credits/public.ts";
import { creditSettings } from "../../agent/credits/settings.pure.ts";
import { readGranted, readSafety } from "../../agent/evaluations/public.ts";
import { readSome } from "../../settings/public.ts";
import { listDue } from "./ref-store.ts";
import { DueRef } from "./schema.ts";

const MOST_DUE = 50;

export const listDueRefs = endpoint(
  {
    id: "listDueRefs",
    method: "GET",
    path: "/api/v1/repohost/refs/due",
    tag: "Source work",
    summary: "List the branches and pull requests that have brought something new",
    description:
      "Empty while the loop is paused. What needs no model can be claimed even when the day's runs or the month's credits are used up.",
    keys: ["secret", "agent"],
    people: "viewer",
    budget: "sources",
    tool: "An agent drafts from code under its lease, in a loop of its own.",
    managedOnly: true,
    refusals: "source",
    oneInstant: true,
    result: z.strictObject({
      refs: z.array(DueRef).max(MOST_DUE).describe("The longest due first."),
      aiLimitReached: z.boolean().describe("Whether this month's credits are used up."),
      loopPaused: z.boolean().describe("Whether people have paused the loop."),
      runsUsedToday: count.describe("Runs of this UTC day that were paid for."),
      maxRunsPerDay: count.describe("How many there may be."),
    }),
  },
  async ({ db, projectId, now }) => {
    const { loopPaused, maxRunsPerDay } = await readSafety(db, projectId);
    const { "ai.monthlyLimit": limit } = await readSome(db, projectId, creditSettings, ["ai.monthlyLimit"]);
    const due = loopPaused ? [] : await listDue(db, projectId, now, MOST_DUE);
    return {
      refs: due.map(({ id, sourceId, url: repository, branch, refKey }) => ({
        refId: apiId("ref", id),
        sourceId,
        repository,
        branch,
        refKey,
      })),
      aiLimitReached: (await creditsUsed(db, projectId, now)) >= limit,
      loopPaused,
      runsUsedToday: await readGranted(db, projectId, Math.floor(now / DAY_MS)),
      maxRunsPerDay,
    };
  },
);

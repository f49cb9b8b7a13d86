import { z } from "zod";
import { apiId } from "../../../domain/ids.ts";
import { DAY_MS } from "../../../platform/clock.ts";
import type { Ctx } from "../../../platform/http/endpoint.ts";
import { count, epochMs, text } from "../../../platform/http/fields.ts";
import { rolesThere } from "../../../platform/processes.ts";
import { readSome } from "../../settings/public.ts";
import { atWork, OVERDUE_MS } from "./at-work.pure.ts";
import { findLongestDue, readProgramAt } from "./at-work-store.ts";
import { readSafety } from "./safety.ts";
import { countLiveLeases, readGranted } from "./store.ts";

/** Who looks after the campaigns of a project, and what nobody has taken up. */
export const AgentAtWork = z
  .object({
    by: z
      .enum(["process", "program", "nobody"])
      .describe(
        "`process`: one of this server has the role agent. `program`: one of people took up an evaluation last, and left none lying.",
      ),
    isPaused: z.boolean().describe("Whether people have stopped all agents of the project."),
    hasPolicy: z.boolean().describe("Whether Tidings looks after campaigns, or only programs of people do."),
    programAt: epochMs
      .nullable()
      .describe("When a program of people last took up an evaluation, epoch milliseconds; null: never."),
    overdue: z
      .object({
        campaignId: text(128),
        campaignName: text(80).describe("Its name."),
        since: epochMs.describe("Since when, in epoch milliseconds."),
        isApproved: z.boolean().describe("Whether it is a change that people have approved."),
        count: count.describe("How many campaigns wait, this one among them."),
      })
      .nullable()
      .describe("What an agent could have taken up for ten minutes or longer; null where there is nothing."),
  })
  .meta({ id: "AgentAtWork" });
export type AgentAtWork = z.infer<typeof AgentAtWork>;

/** Who looks after the campaigns of a project. */
export async function readAtWork({
  db,
  projectId,
  now,
}: Pick<Ctx, "db" | "projectId" | "now">): Promise<AgentAtWork> {
  const settings = await readSome(db, projectId, ["agent.policy", "agent.everyHours"] as const);
  const policy = settings["agent.policy"];
  const { loopPaused, maxRunsPerDay } = await readSafety(db, projectId);
  const isSpent = (await readGranted(db, projectId, Math.floor(now / DAY_MS))) >= maxRunsPerDay;
  const wanted = { now, onlyContinuations: isSpent, withDrafts: policy === null };
  const due = loopPaused ? null : await findLongestDue(db, projectId, wanted);
  const programAt = await readProgramAt(db, projectId);
  const { agent } = await rolesThere(db);
  const by = atWork({
    ...{ policy, programAt, now },
    everyHours: settings["agent.everyHours"],
    hasProcess: agent,
    evaluating: await countLiveLeases(db, projectId, now),
    dueSince: due?.since ?? null,
  });
  const isOverdue = due !== null && now - due.since >= OVERDUE_MS;
  return {
    ...{ by, programAt },
    isPaused: loopPaused,
    hasPolicy: policy !== null,
    overdue: isOverdue ? { ...due, campaignId: apiId("cmp", due.campaignId) } : null,
  };
}

import { apiId } from "../../../../domain/ids.ts";
import type { Ctx } from "../../../../platform/http/contract/endpoint.ts";
import { rolesThere } from "../../../../platform/loops/processes.ts";
import { DAY_MS } from "../../../../platform/time/clock.ts";
import { readSome } from "../../../settings/public.ts";
import { readSafety } from "../limits/safety.ts";
import type { AgentAtWork } from "../schema.ts";
import { agentSettings } from "../settings.pure.ts";
import { countLiveLeases, readGranted } from "../store.ts";
import { atWork, OVERDUE_MS } from "./at-work.pure.ts";
import { findLongestDue, readProgramAt } from "./at-work-store.ts";

/** Reads what looks after the campaigns of a project. */
export async function readAtWork({
  db,
  projectId,
  now,
}: Pick<Ctx, "db" | "projectId" | "now">): Promise<AgentAtWork> {
  const settings = await readSome(db, projectId, agentSettings, ["agent.policy", "agent.everyHours"]);
  const policy = settings["agent.policy"];
  const { loopPaused, maxRunsPerDay } = await readSafety(db, projectId);
  const isSpent = (await readGranted(db, projectId, Math.floor(now / DAY_MS))) >= maxRunsPerDay;
  const wanted = { now, onlyContinuations: isSpent, withDrafts: policy === null };
  const due = loopPaused ? null : await findLongestDue(db, projectId, wanted);
  const programAt = await readProgramAt(db, projectId, now);
  const { agent } = await rolesThere(db);
  const by = atWork({
    policy,
    programAt,
    now,
    everyHours: settings["agent.everyHours"],
    hasProcess: agent,
    evaluating: await countLiveLeases(db, projectId, now),
    dueSince: due?.since ?? null,
  });
  const isOverdue = due !== null && now - due.since >= OVERDUE_MS;
  return {
    by,
    programAt,
    isPaused: loopPaused,
    hasPolicy: policy !== null,
    overdue: isOverdue ? { ...due, campaignId: apiId("cmp", due.campaignId) } : null,
  };
}

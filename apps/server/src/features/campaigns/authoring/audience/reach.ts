import type { Ctx } from "../../../../platform/http/contract/endpoint.ts";
import { assertMayReachUsers, isBelowLaunchRole, roleOf } from "../../../people/public.ts";
import { declarationOf } from "../changes/declaration.ts";
import { listDeclared } from "../changes/declaration-store.ts";
import { readLaunchRules } from "../status/launch-rules.ts";
import { type CampaignRow, findCampaign, isAllowedByItself, listVariants } from "../store.ts";
import { type CampaignReach, classifyReach } from "./reach.pure.ts";

async function readReach({ db, projectId }: Ctx, row: CampaignRow): Promise<CampaignReach> {
  const declared = (await listDeclared(db, projectId, [row.id])).get(row.id) ?? [];
  const variants = await listVariants(db, projectId, row.id);
  return { ...row, variants, declared: declarationOf(declared).revision };
}

/** Refuses what was changed since the watch began. @throws LaunchRoleRefusal */
type ReachWatch = () => Promise<void>;
const REFUSES_NOTHING: ReachWatch = async () => undefined;

/**
 * Watches a change of a campaign, and refuses it where it reaches users at once and the person's role is too low for that. Begins before
 * the first write; the answer is called after the last one. Needs the transaction that locked `before`.
 */
export async function watchReach(ctx: Ctx, before: CampaignRow): Promise<ReachWatch> {
  const { db, projectId, now } = ctx;
  const role = roleOf(ctx);
  if (!(await isBelowLaunchRole(ctx, role))) return REFUSES_NOTHING;
  const { approvedContent } = await readLaunchRules(ctx);
  // Where only what was allowed launches by itself, a change keeps it from that until a person looks at it again.
  const isAllowed = !approvedContent && (await isAllowedByItself(db, projectId, before.id));
  const was = await readReach(ctx, before);
  return async () => {
    const row = await findCampaign(db, projectId, before.id);
    if (row === null) return;
    const way = classifyReach(was, await readReach(ctx, row), { now, isAllowed });
    if (way !== null) await assertMayReachUsers(ctx, role, way);
  };
}

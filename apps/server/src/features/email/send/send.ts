import { createAway } from "../../../platform/away.ts";
import { projectLoop } from "../../../platform/project-loop.ts";
import { resource } from "../../../platform/runtime.ts";
import { SettingError } from "../../settings/public.ts";
import { servingOf } from "../../usage/public.ts";
import { emailPausedBecause } from "../../usage/rules.ts";
import { CAMPAIGN_FAULT, setFault } from "../fault-store.ts";
import { openSender } from "../open-sender.ts";
import { sendProject, type Turn } from "./project.ts";
import { findDueAcrossProjects } from "./send-store.ts";

/** Projects whose mail server is left alone for a while. */
const serversAway = resource((app) => createAway(app.clock));
/** Campaigns that failed by themselves, and are left alone for a while. */
const campaignsAway = resource((app) => createAway(app.clock));

/** Sends campaign email: every project over its own connections. What stands in its way is kept for people to read. */
export const sendLoop = projectLoop({
  name: "send email",
  find: (app) => findDueAcrossProjects(app.database.kysely, app.clock()),
  async turn(app, projectId, due, signal) {
    const { clock, database } = app;
    const away = app.get(serversAway);
    const broken = app.get(campaignsAway);
    const campaignIds = due.flatMap(({ campaignId }) =>
      broken.until(campaignId) > clock() ? [] : [campaignId],
    );
    if (campaignIds.length === 0 || away.until(projectId) > clock()) return false;
    const noteFault = (fault: string | null, ids: readonly string[] = campaignIds): Promise<void> =>
      setFault(database.kysely, projectId, ids, fault, clock());
    const paused = emailPausedBecause(await servingOf(app, projectId));
    if (paused !== null) {
      await noteFault(paused);
      return false;
    }
    const sender = await openSender(app, projectId).catch((cause: unknown) => {
      if (cause instanceof SettingError) return { fault: cause.message };
      throw cause;
    });
    const { didSomething, fault, brokenCampaigns }: Turn =
      "fault" in sender
        ? { didSomething: false, fault: sender.fault, brokenCampaigns: new Set() }
        : await sendProject(app, sender, campaignIds, signal);
    for (const id of campaignIds) brokenCampaigns.has(id) ? broken.leaveAlone(id) : broken.isBack(id);
    await noteFault(CAMPAIGN_FAULT, [...brokenCampaigns]);
    await noteFault(
      fault,
      campaignIds.filter((id) => !brokenCampaigns.has(id)),
    );
    if (fault === null) away.isBack(projectId);
    else away.leaveAlone(projectId);
    return didSomething;
  },
});

import { createAway } from "../../../platform/away.ts";
import { projectLoop } from "../../../platform/project-loop.ts";
import { resource } from "../../../platform/runtime.ts";
import { servingOf } from "../../usage/public.ts";
import { emailPausedBecause } from "../../usage/rules.ts";
import { openSender } from "../open-sender.ts";
import { sendProject, type Turn } from "./project.ts";
import { findDueAcrossProjects, setFault } from "./send-store.ts";

/** Projects whose mail server is left alone for a while. */
const serversAway = resource((app) => createAway(app.clock));

/** Sends campaign email: every project over its own connections. What stands in its way is kept for people to read. */
export const sendLoop = projectLoop({
  name: "send email",
  find: (app) => findDueAcrossProjects(app.database.kysely, app.clock()),
  async turn(app, projectId, due, signal) {
    const { clock, database } = app;
    const away = app.get(serversAway);
    if (away.until(projectId) > clock()) return false;
    const campaignIds = due.map(({ campaignId }) => campaignId);
    const noteFault = (fault: string | null): Promise<void> =>
      setFault(database.kysely, projectId, campaignIds, fault, clock());
    const paused = emailPausedBecause(await servingOf(app, projectId));
    if (paused !== null) {
      await noteFault(paused);
      return false;
    }
    const sender = await openSender(app, projectId);
    const { didSomething, fault }: Turn =
      "fault" in sender
        ? { didSomething: false, fault: sender.fault }
        : await sendProject(app, sender, campaignIds, signal);
    await noteFault(fault);
    if (fault === null) away.isBack(projectId);
    else away.leaveAlone(projectId);
    return didSomething;
  },
});

import type { Db } from "../../../platform/db/db.ts";
import type { App } from "../../../platform/runtime.ts";
import { SettingError } from "../../../platform/settings/setting.ts";
import { readSettings } from "../../settings/public.ts";
import { emailSettings } from "../sender/settings.pure.ts";
import { routeOf, senderFaults } from "./open-sender.ts";

/**
 * How a project's mail leaves: by a mail server, not at all because the outbox catches it, or in no way. `isReady` says whether campaigns
 * have all that they need of the sender.
 */
export type MailWay = { way: "server" | "outbox" | "none"; isReady: boolean };

/** How a project's mail leaves by its settings of now; null where one of them cannot be read, which the page of the sender says. */
export async function readMailWay(app: App, db: Db, projectId: string): Promise<MailWay | null> {
  try {
    const settings = await readSettings(db, app.secrets, projectId, emailSettings);
    const route = routeOf(app, settings);
    const way = route === null ? "none" : route === "outbox" ? "outbox" : "server";
    return { way, isReady: senderFaults(app, settings).length === 0 };
  } catch (error) {
    if (error instanceof SettingError) return null;
    throw error;
  }
}

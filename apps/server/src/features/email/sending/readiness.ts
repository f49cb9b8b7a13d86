import type { Ctx } from "../../../platform/http/endpoint.ts";
import { readSettings } from "../../settings/public.ts";
import { senderFault } from "./open-sender.ts";

/** What keeps the project from sending campaign email, in a sentence that says what to do; null when nothing does. */
export async function emailFault({ app, db, projectId }: Ctx): Promise<string | null> {
  return senderFault(app, await readSettings(db, app.secrets, projectId));
}

import { readSome } from "../../../settings/public.ts";
import { releaseLoopOf } from "../../../timing/public.ts";
import { emailSettings } from "../../sender/settings.pure.ts";
import { CAP_SETTINGS, postponingCap } from "../gates/cap.ts";
import { releasePostponed } from "./send-store.ts";

/** Makes mail due that was postponed by rules which are others now. */
export const releaseLoop = releaseLoopOf({
  name: "release postponed mail",
  channel: "email",
  async ownWords({ database: { kysely } }, projectId) {
    const cap = postponingCap(await readSome(kysely, projectId, emailSettings, CAP_SETTINGS));
    return cap === null ? [] : [cap];
  },
  release: releasePostponed,
});

import type { Db } from "../../../../platform/db/db.ts";
import { readSome } from "../../../settings/public.ts";
import { profileSettings } from "../settings.pure.ts";

const KEY = "users.nameTrait";

/** The trait that a project chose to call its users by; null where it chose none. */
export const readNameTrait = async (db: Db, projectId: string): Promise<string | null> =>
  (await readSome(db, projectId, profileSettings, [KEY]))[KEY];

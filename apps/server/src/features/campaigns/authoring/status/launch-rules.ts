import type { Db } from "../../../../platform/db/db.ts";
import type { PersonRole } from "../../../../platform/http/contract/person.ts";
import { peopleSettings } from "../../../people/settings.pure.ts";
import { readSome } from "../../../settings/public.ts";
import { launchSettings } from "./settings.pure.ts";

/** From which role people may do what reaches users, and whether a campaign launches by itself only as it was allowed. */
export async function readLaunchRules({
  db,
  projectId,
}: {
  db: Db;
  projectId: string;
}): Promise<{ role: PersonRole; approvedContent: boolean }> {
  const { "people.launch": role, "launch.approvedContent": chosen } = await readSome(
    db,
    projectId,
    { ...peopleSettings, ...launchSettings },
    ["people.launch", "launch.approvedContent"],
  );
  return { role, approvedContent: chosen ?? role === "approver" };
}

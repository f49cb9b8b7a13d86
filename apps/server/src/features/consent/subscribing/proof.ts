import type { Db } from "../../../platform/db/db.ts";
import type { PublicRequest } from "../../../platform/http/public/public-route.ts";
import { readSome } from "../../settings/public.ts";
import type { ConsentProof } from "../choices/public.ts";
import { consentSettings } from "./settings.pure.ts";

/** How a reader chose on a page, with their network address where the project keeps that. */
export async function proofOfReader(
  db: Db,
  projectId: string,
  { now, address }: Pick<PublicRequest, "now" | "address">,
  via: ConsentProof["via"],
): Promise<ConsentProof> {
  const { "consent.keepIp": keepsIp } = await readSome(db, projectId, consentSettings, ["consent.keepIp"]);
  return { at: now, via, ip: keepsIp ? address : null };
}

import type { Db } from "../../../platform/db/db.ts";
import { referencesOf } from "../../audience/language/rules.ts";
import type { Diagnostic, StoredAudience } from "../../audience/language/schema.ts";
import { readTraitKeys } from "../../counting/rollups/public.ts";
import { addressRef } from "./address-ref.ts";
import { findAddressesSaying, findTakingMail } from "./leavers-store.ts";
import { saysLeft } from "./leaving-names.pure.ts";
import { parseAddress } from "./rules.ts";

/** Traits of a project whose names are looked at, those of most users first, and how many of them may be named. */
const MOST_TRAITS = 1_000;
const MOST_NAMED = 3;

/**
 * Warns of users whose traits say that they get no mail, as tools call it (`unsubscribed`), where mail to an audience would reach such users all
 * the same: it does not use the trait, and an address of them takes mail. Some of their addresses are looked at, and not whom the audience matches.
 */
export async function leaverWarnings(
  db: Db,
  projectId: string,
  audience: StoredAudience,
): Promise<Diagnostic[]> {
  const used = new Set(audience.kind === "all" ? [] : referencesOf(audience.expression).traits);
  const traits = await readTraitKeys(db, projectId, MOST_TRAITS);
  const found: Diagnostic[] = [];
  for (const trait of traits.filter((key) => saysLeft(key) && !used.has(key)).slice(0, MOST_NAMED)) {
    const addresses = (await findAddressesSaying(db, projectId, trait)).flatMap((text) => {
      const parsed = parseAddress(text);
      return parsed === null ? [] : [addressRef(projectId, parsed.address)];
    });
    if (await findTakingMail(db, projectId, addresses))
      found.push({
        severity: "warning",
        code: "left_elsewhere",
        path: "/audience",
        message: `Users whose trait ${trait} says that they left still get mail, and this audience does not look at it: bring them in as people who get no mail, or leave them out.`,
      });
  }
  return found;
}

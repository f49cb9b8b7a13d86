import type { Db } from "../../../platform/db/db.ts";
import { linkFault } from "../rules.ts";
import { deleteAccount, findMember, type MemberRow } from "../store.ts";
import { deleteLinks, deleteLinksTo, listOpenLinks, type OpenLink } from "./link-store.ts";

/**
 * Withdraws the open links that their makers could no longer make, after a change of roles. Answers how many. Needs a transaction with the
 * members locked.
 */
export async function withdrawUngrantable(db: Db, organizationId: string): Promise<number> {
  const members = new Map<string, MemberRow | null>();
  async function memberOf(id: string): Promise<MemberRow | null> {
    const known = members.get(id);
    if (known !== undefined) return known;
    const found = await findMember(db, organizationId, { id });
    members.set(id, found);
    return found;
  }
  const isUngrantable = async (link: OpenLink): Promise<boolean> => {
    const maker = await memberOf(link.madeById);
    const subject = link.personId === null ? null : await memberOf(link.personId);
    return maker === null || linkFault(maker, link, subject) !== null;
  };
  const ended: Buffer[] = [];
  for (const link of await listOpenLinks(db, organizationId))
    if (await isUngrantable(link)) ended.push(link.digest);
  return deleteLinks(db, organizationId, ended);
}

/**
 * Removes a person: their account, sessions, passkeys and roles, the open links that they made, and those that let them in. Answers how
 * many links. Needs a transaction with the members locked.
 */
export async function removeMember(
  db: Db,
  organizationId: string,
  { id, email }: MemberRow,
): Promise<number> {
  const made = (await listOpenLinks(db, organizationId)).filter(({ madeById }) => madeById === id);
  const digests = made.map(({ digest }) => digest);
  const withdrawn =
    (await deleteLinks(db, organizationId, digests)) +
    (await deleteLinksTo(db, organizationId, { id, email }, null));
  await deleteAccount(db, id);
  return withdrawn;
}

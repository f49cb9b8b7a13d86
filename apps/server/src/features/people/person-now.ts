import type { Db } from "../../platform/db/db.ts";
import type { StandingLock } from "../../platform/http/admission/standing.ts";
import { higherRole, type Person } from "../../platform/http/contract/person.ts";
import { findStanding, isStillMember, lockMembers, type PersonStanding } from "./store.ts";

/** A person's role at what they ask about: the higher one of that in the project and that in all. */
export const roleAt = ({ everywhere, here, isThere }: PersonStanding, projectId: string | null) =>
  projectId === null || isThere ? higherRole(everywhere, here) : null;

/**
 * A person as they stand in the database now; null where they are no member any more, or their session has ended. With a lock, a
 * request that removes them, lowers their role or ends their session waits until the transaction is over.
 */
export async function personNow(
  db: Db,
  person: Person,
  { projectId, lock, now }: { projectId: string | null; lock: StandingLock; now: number },
): Promise<Person | null> {
  // The lock of all comes first: two members who change each other would wait for each other otherwise.
  if (lock === "members") await lockMembers(db, person.organizationId);
  const { id, sessionId } = person;
  // The operator at the command line has no account that could have been taken away.
  if (id === null) return person;
  if (!(await isStillMember(db, { personId: id, sessionId, now, isLocked: lock !== "none" }))) return null;
  // A statement of its own: one that has waited for the lock would still see the roles of before.
  const standing = await findStanding(db, id, projectId);
  if (standing === null) return null;
  const { organizationId, isOperator } = standing;
  return { ...person, organizationId, isOperator, role: roleAt(standing, projectId) };
}

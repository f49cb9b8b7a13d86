import type { Db } from "../../platform/db/db.ts";
import { ApiError } from "../../platform/http/contract/errors.ts";
import { type PersonRole, reaches } from "../../platform/http/contract/person.ts";
import { deleteLinksTo } from "./links/link-store.ts";
import { withdrawUngrantable } from "./links/withdrawal.ts";
import { findMember, findProjects, hasOtherOperator, setRoleEverywhere, setRoleInProject } from "./store.ts";

type Given = {
  /** The projects that it is about; null for all of them. */
  projectIds: readonly string[] | null;
  /** The new role, from the one before. */
  change: (before: PersonRole | null) => PersonRole | null;
  /** Whether they run the server; left as it is where it is not given. */
  isOperator?: boolean;
};

/** Whether a role is less than the one before. */
const isLower = (role: PersonRole | null, before: PersonRole | null): boolean =>
  before !== null && !reaches(role, before);

/**
 * Changes what a member may do, in projects of their organization or in all, and withdraws the open links that this ends: those that could
 * not be made any more, and those that would give back a role that was lowered. Answers how many. Needs a transaction with the members
 * locked.
 * @throws ApiError conflict where no operator would be left
 */
export async function giveRoles(
  db: Db,
  organizationId: string,
  personId: string,
  { projectIds, change, isOperator }: Given,
): Promise<number> {
  const member = await findMember(db, organizationId, { id: personId });
  if (member === null) throw new ApiError("not_found", "Person not found");
  const subject = { id: personId, email: member.email };
  if (projectIds !== null) {
    const lowered: string[] = [];
    for (const { id } of await findProjects(db, organizationId, projectIds)) {
      const before = member.roles.find(({ projectId }) => projectId === id)?.role ?? null;
      const role = change(before);
      await setRoleInProject(db, id, personId, role);
      if (isLower(role, before)) lowered.push(id);
    }
    const ended = lowered.length > 0 ? await deleteLinksTo(db, organizationId, subject, lowered) : 0;
    return ended + (await withdrawUngrantable(db, organizationId));
  }
  const role = change(member.role);
  const operates = isOperator ?? (member.isOperator && role === "owner");
  if (operates && role !== "owner")
    throw new ApiError("invalid_request", "role must be owner: an operator owns all projects");
  if (member.isOperator && !operates) await assertOtherOperator(db, organizationId, personId);
  await setRoleEverywhere(db, organizationId, personId, { role, isOperator: operates });
  const ended = isLower(role, member.role) ? await deleteLinksTo(db, organizationId, subject, null) : 0;
  return ended + (await withdrawUngrantable(db, organizationId));
}

/** @throws ApiError conflict for the only person who runs the server */
export async function assertOtherOperator(db: Db, organizationId: string, personId: string): Promise<void> {
  if (await hasOtherOperator(db, organizationId, personId)) return;
  throw new ApiError("conflict", "This is the only operator: make another person one first.");
}

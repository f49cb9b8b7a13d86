import type { Db } from "../../platform/db/db.ts";
import { ApiError } from "../../platform/http/errors.ts";
import type { PersonRole } from "../../platform/http/person.ts";
import { findMember, findProjects, hasOtherOperator, setRoleEverywhere, setRoleInProject } from "./store.ts";

type Given = {
  /** The projects that it is about; null for all of them. */
  projectIds: readonly string[] | null;
  /** The new role, from the one before. */
  change: (before: PersonRole | null) => PersonRole | null;
  /** Whether they run the server; left as it is where it is not given. */
  isOperator?: boolean;
};

/**
 * Changes what a member may do, in projects of their organization or in all. Needs a transaction with the members locked.
 * @throws ApiError conflict where no operator would be left
 */
export async function giveRoles(
  db: Db,
  organizationId: string,
  personId: string,
  { projectIds, change, isOperator }: Given,
): Promise<void> {
  const member = await findMember(db, organizationId, { id: personId });
  if (member === null) throw new ApiError("not_found", "Person not found");
  if (projectIds !== null) {
    for (const { id } of await findProjects(db, organizationId, projectIds)) {
      const before = member.roles.find(({ projectId }) => projectId === id)?.role ?? null;
      await setRoleInProject(db, id, personId, change(before));
    }
    return;
  }
  const role = change(member.role);
  const operates = isOperator ?? (member.isOperator && role === "owner");
  if (operates && role !== "owner")
    throw new ApiError("invalid_request", "role must be owner: an operator owns all projects");
  if (member.isOperator && !operates) await assertOtherOperator(db, organizationId, personId);
  await setRoleEverywhere(db, organizationId, personId, { role, isOperator: operates });
}

/** @throws ApiError conflict for the only person who runs the server */
export async function assertOtherOperator(db: Db, organizationId: string, personId: string): Promise<void> {
  if (await hasOtherOperator(db, organizationId, personId)) return;
  throw new ApiError("conflict", "This is the only operator: make another person one first.");
}

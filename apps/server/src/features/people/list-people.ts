import { z } from "zod";
import { endpoint, personOf } from "../../platform/http/contract/endpoint.ts";
import { NO_PROJECT } from "../../platform/http/contract/person.ts";
import { type LinkRow, listInvitations } from "./links/link-store.ts";
import { Invitation, Member } from "./schema.ts";
import { listMembers, type MemberRow } from "./store.ts";

const toInvitation = ({ email, role, projectIds, madeBy, createdAt, expiresAt }: LinkRow) => ({
  // Every invitation has both: the table demands it.
  email: email ?? "",
  role: role ?? ("viewer" as const),
  projectIds,
  madeBy,
  createdAt,
  expiresAt,
});

/** A member as the owner of one project sees them: without what they may do in others. */
const within = ({ roles, ...member }: MemberRow, scope: string | null): MemberRow => ({
  ...member,
  roles: scope === null ? roles : roles.filter(({ projectId }) => projectId === scope),
});

export const listPeople = endpoint(
  {
    id: "listPeople",
    method: "GET",
    path: "/api/people/people",
    tag: "People",
    summary: "List people and what they may do, with open invitations",
    keys: [],
    people: "owner",
    scope: "either",
    result: z.object({
      people: z
        .array(Member)
        .max(100_000)
        .describe("Those who may do something here, in the order in which they came."),
      invitations: z.array(Invitation).max(100_000).describe("Those whose link has not been used."),
    }),
  },
  async (ctx) => {
    const { organizationId } = personOf(ctx);
    const scope = ctx.projectId === NO_PROJECT ? null : ctx.projectId;
    const people = await listMembers(ctx.db, organizationId, scope);
    const invitations = await listInvitations(ctx.db, organizationId, scope, ctx.now);
    return {
      people: people.map((member) => within(member, scope)),
      invitations: invitations.map(toInvitation),
    };
  },
);

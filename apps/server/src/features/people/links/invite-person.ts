import { z } from "zod";
import { endpoint, personOf } from "../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../platform/http/contract/errors.ts";
import { higherRole, NO_PROJECT } from "../../../platform/http/contract/person.ts";
import { giveRoles } from "../roles.ts";
import { grantFault } from "../rules.ts";
import { LinkMade, personEmail, personRole } from "../schema.ts";
import { personOrigin } from "../sign-in/origin.ts";
import { findMember, findProjects } from "../store.ts";
import { makeLink } from "./links.ts";

export const invitePerson = endpoint(
  {
    id: "invitePerson",
    method: "POST",
    path: "/api/people/invitations",
    audit: { did: "invited a person", target: "person" },
    tag: "People",
    summary: "Invite somebody, by a link to copy",
    description:
      "For somebody who has no account yet, answers a link that works once, for 7 days. A second invitation to the same address and projects replaces the first, and the link stops working when its maker could no longer make it. Somebody who is here already gets the role at once, beside those that they have, and there is no link.",
    keys: [],
    people: "owner",
    scope: "either",
    changesMembers: true,
    fresh: true,
    status: 201,
    secretAnswer: true,
    errors: ["not_found"],
    body: z.object({
      email: personEmail.describe("Whom to invite."),
      role: personRole.describe("What they will be able to do."),
      projectIds: z
        .array(z.uuid())
        .min(1)
        .max(1_000)
        .optional()
        .describe(
          "In which projects; all where it is left out. Only for owners of all projects: the others invite to theirs.",
        ),
    }),
    example: { email: "new@example.com", role: "viewer" },
    result: z.object({
      invited: LinkMade.nullable().describe("The link; null where they are here already."),
    }),
  },
  async (ctx, { body: { email, role, projectIds: given } }) => {
    const { db, now, projectId } = ctx;
    const person = personOf(ctx);
    const { organizationId } = person;
    const fault = grantFault(person, role);
    if (fault !== null) throw new ApiError("forbidden", fault);
    const isHere = projectId !== NO_PROJECT;
    if (isHere && given !== undefined)
      throw new ApiError("invalid_request", "projectIds must be left out: the request is about one project");
    const projectIds = isHere ? [projectId] : given === undefined ? null : [...new Set(given)].sort();
    if (
      projectIds !== null &&
      (await findProjects(db, organizationId, projectIds)).length < projectIds.length
    )
      throw new ApiError("not_found", "Project not found");
    ctx.describe({ target: email, after: { role, projectIds } });
    const member = await findMember(db, organizationId, { email });
    if (member !== null) {
      const change = (before: typeof role | null) => higherRole(before, role);
      await giveRoles(db, organizationId, member.id, { projectIds, change });
      return { invited: null };
    }
    const made = {
      organizationId,
      now,
      madeBy: person.name,
      madeById: person.id,
      origin: personOrigin(ctx.app.publicUrl(), ctx.app.config),
    };
    return { invited: await makeLink(db, { kind: "invitation", email, role, projectIds }, made) };
  },
);

import { z } from "zod";
import { endpoint, personOf } from "../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../platform/http/contract/errors.ts";
import { NO_PROJECT } from "../../platform/http/contract/person.ts";
import { giveRoles } from "./roles.ts";
import { operatorFault } from "./rules.ts";
import { personId, personRole } from "./schema.ts";
import { findMember } from "./store.ts";

export const setPersonRole = endpoint(
  {
    id: "setPersonRole",
    method: "PUT",
    path: "/api/people/people/{personId}/role",
    audit: { did: "changed a role", target: "person" },
    tag: "People",
    summary: "Change what a person may do",
    description:
      "In one project, or with the header X-Tidings-Project: - in all of them. For what they change it counts at once, for what they read within 5 seconds. With a lower role, open links stop working that they could no longer make, and those that would give the role back. Of the role in a project and the one in all, the higher counts.",
    keys: [],
    people: "owner",
    scope: "either",
    changesMembers: true,
    fresh: true,
    errors: ["not_found", "conflict"],
    params: z.object({ personId }),
    body: z.object({
      role: personRole.nullable().describe("The role; null takes it away."),
      isOperator: z
        .boolean()
        .optional()
        .describe(
          "Whether they run the server; left as it is where it is left out. Only operators say it, and only about all projects.",
        ),
    }),
    example: { role: "viewer" },
  },
  async (ctx, { params, body: { role, isOperator } }) => {
    const { db, projectId } = ctx;
    const person = personOf(ctx);
    const { organizationId } = person;
    const member = await findMember(db, organizationId, { id: params.personId });
    if (member === null) throw new ApiError("not_found", "Person not found");
    const isEverywhere = projectId === NO_PROJECT;
    if (!isEverywhere && isOperator !== undefined)
      throw new ApiError("invalid_request", "isOperator must be left out: the request is about one project");
    const concerns = { isOperator: isEverywhere && (member.isOperator || isOperator === true) };
    const fault = operatorFault(person, concerns);
    if (fault !== null) throw new ApiError("forbidden", fault);
    const before = isEverywhere
      ? member.role
      : member.roles.find((each) => each.projectId === projectId)?.role;
    const withdrawnLinks = await giveRoles(db, organizationId, member.id, {
      projectIds: isEverywhere ? null : [projectId],
      change: () => role,
      ...(isOperator === undefined ? {} : { isOperator }),
    });
    ctx.describe({
      target: member.email,
      before: { role: before ?? null, ...(isEverywhere && { isOperator: member.isOperator }) },
      after: {
        role,
        ...(isOperator !== undefined && { isOperator }),
        ...(withdrawnLinks > 0 && { withdrawnLinks }),
      },
    });
  },
);

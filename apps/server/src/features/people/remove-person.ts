import { z } from "zod";
import { endpoint, personOf } from "../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../platform/http/contract/errors.ts";
import { removeMember } from "./links/withdrawal.ts";
import { assertOtherOperator } from "./roles.ts";
import { operatorFault } from "./rules.ts";
import { personId } from "./schema.ts";
import { findMember } from "./store.ts";

export const removePerson = endpoint(
  {
    id: "removePerson",
    method: "DELETE",
    path: "/api/people/people/{personId}",
    audit: { did: "removed a person", target: "person" },
    tag: "People",
    summary: "Remove a person: their account, sessions, passkeys and roles",
    description:
      "From then on they change nothing; what they could read they can for up to 5 more seconds. Open links that they made stop working, and so do those that let them in. What they changed stays in the audit log, with their name.",
    keys: [],
    people: "owner",
    scope: "organization",
    changesMembers: true,
    fresh: true,
    errors: ["not_found", "conflict"],
    params: z.object({ personId }),
  },
  async (ctx, { params }) => {
    const { db } = ctx;
    const person = personOf(ctx);
    const { organizationId } = person;
    const member = await findMember(db, organizationId, { id: params.personId });
    if (member === null) throw new ApiError("not_found", "Person not found");
    const fault = operatorFault(person, member);
    if (fault !== null) throw new ApiError("forbidden", fault);
    if (member.isOperator) await assertOtherOperator(db, organizationId, member.id);
    const withdrawnLinks = await removeMember(db, organizationId, member);
    ctx.describe({
      target: member.email,
      before: { name: member.name, email: member.email, role: member.role, isOperator: member.isOperator },
      after: { withdrawnLinks },
    });
  },
);

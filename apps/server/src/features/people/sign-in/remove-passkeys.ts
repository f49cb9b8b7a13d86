import { z } from "zod";
import { endpoint, personOf } from "../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../platform/http/contract/errors.ts";
import { operatorFault } from "../rules.ts";
import { personId } from "../schema.ts";
import { deletePasskeys, findMember } from "../store.ts";

export const removePasskeys = endpoint(
  {
    id: "removePasskeys",
    method: "DELETE",
    path: "/api/people/people/{personId}/passkeys",
    audit: { did: "removed the passkeys of a person", target: "person" },
    tag: "People",
    summary: "Remove the passkeys of a person, who then signs in with the password",
    keys: [],
    people: "owner",
    scope: "organization",
    fresh: true,
    changesMembers: true,
    errors: ["not_found"],
    params: z.object({ personId }),
  },
  async (ctx, { params }) => {
    const person = personOf(ctx);
    const member = await findMember(ctx.db, person.organizationId, { id: params.personId });
    if (member === null) throw new ApiError("not_found", "Person not found");
    const fault = operatorFault(person, member);
    if (fault !== null) throw new ApiError("forbidden", fault);
    ctx.describe({ target: member.email, before: { passkeys: await deletePasskeys(ctx.db, member.id) } });
  },
);

import { z } from "zod";
import { endpoint, personOf } from "../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../platform/http/contract/errors.ts";
import { passwordFault } from "../rules.ts";
import { LinkMade, personId } from "../schema.ts";
import { personOrigin } from "../sign-in/origin.ts";
import { findMember } from "../store.ts";
import { makeLink } from "./links.ts";

export const makePasswordLink = endpoint(
  {
    id: "makePasswordLink",
    method: "POST",
    path: "/api/people/people/{personId}/password-link",
    audit: { did: "made a password link", target: "person" },
    tag: "People",
    summary: "Make a link with which a person sets a new password",
    description:
      "It works once, for a day; an earlier one stops working. Using it signs the person out everywhere, and removes their passkeys. For an owner of all projects only an operator makes one. It stops working when its maker could no longer make it.",
    keys: [],
    people: "owner",
    scope: "organization",
    changesMembers: true,
    fresh: true,
    status: 201,
    errors: ["not_found"],
    params: z.object({ personId }),
    result: LinkMade,
  },
  async (ctx, { params }) => {
    const { db, now } = ctx;
    const person = personOf(ctx);
    const { organizationId } = person;
    const member = await findMember(db, organizationId, { id: params.personId });
    if (member === null) throw new ApiError("not_found", "Person not found");
    const fault = passwordFault(person, member);
    if (fault !== null) throw new ApiError("forbidden", fault);
    ctx.describe({ target: member.email });
    const origin = personOrigin(ctx.app.publicUrl(), ctx.app.config);
    return makeLink(
      db,
      { kind: "password", personId: member.id },
      { origin, organizationId, now, madeBy: person.name, madeById: person.id },
    );
  },
);

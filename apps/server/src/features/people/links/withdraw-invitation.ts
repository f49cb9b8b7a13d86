import { z } from "zod";
import { endpoint, personOf } from "../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../platform/http/contract/errors.ts";
import { NO_PROJECT } from "../../../platform/http/contract/person.ts";
import { personEmail } from "../schema.ts";
import { deleteInvitation } from "./link-store.ts";

export const withdrawInvitation = endpoint(
  {
    id: "withdrawInvitation",
    method: "DELETE",
    path: "/api/people/invitations/{email}",
    audit: { did: "withdrew an invitation", target: "person" },
    tag: "People",
    summary: "Withdraw an invitation: its link stops working",
    keys: [],
    people: "owner",
    scope: "either",
    changesMembers: true,
    errors: ["not_found"],
    params: z.object({ email: personEmail }),
  },
  async (ctx, { params: { email } }) => {
    const scope = ctx.projectId === NO_PROJECT ? null : ctx.projectId;
    if (!(await deleteInvitation(ctx.db, personOf(ctx).organizationId, scope, email)))
      throw new ApiError("not_found", "Invitation not found");
  },
);

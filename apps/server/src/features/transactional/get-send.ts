import { z } from "zod";
import { endpoint } from "../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../platform/http/contract/errors.ts";
import { pathId } from "../../platform/http/contract/fields.ts";
import { SendDetail } from "./schema.ts";
import { findSend } from "./view.ts";

export const getSend = endpoint(
  {
    id: "getSend",
    method: "GET",
    path: "/api/v1/sends/{id}",
    tag: "Transactional mail",
    summary: "Get a transactional mail, and what has become of it",
    keys: ["secret", "send"],
    people: "viewer",
    budget: "send",
    tool: "It shows what single people were written, which is for people to look at.",
    oneInstant: true,
    params: z.object({ id: pathId.describe("Id of the mail: `del_…`.") }),
    result: z.object({ send: SendDetail.describe("The mail.") }),
    errors: ["not_found"],
  },
  async (ctx, { params }) => {
    const send = await findSend(ctx, params.id);
    if (send === null) throw new ApiError("not_found", "Mail not found");
    return { send };
  },
);

import { beginningOf } from "@tidings/client/text";
import { z } from "zod";
import { endpoint, personOf } from "../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../platform/http/contract/errors.ts";
import { pathId, text } from "../../../platform/http/contract/fields.ts";
import { MOST_MAPPINGS, mapSource } from "./manage.ts";
import { environment, followedRef, Mapping } from "./schema.ts";
import { toMapping } from "./view.ts";

const MOST_NAME = 80;

export const confirmMapping = endpoint(
  {
    id: "confirmMapping",
    method: "PUT",
    path: "/api/people/sources/{id}/mappings",
    audit: { did: "had campaigns wait for an environment", target: "source" },
    tag: "Launches",
    summary: "Have campaigns wait for an environment, or confirm that anew",
    description: "Campaigns that announce changes of the source launch once they are live there as well.",
    keys: [],
    people: "owner",
    fresh: true,
    params: z.object({ id: pathId }),
    body: z.object({
      environment,
      scope: text(200).nullable().default(null).describe("What people call the place."),
      follows: followedRef
        .nullable()
        .default(null)
        .describe("The ref whose tip is what runs there; null where deployments are reported."),
    }),
    example: { environment: "staging" },
    result: z.object({ mapping: Mapping }),
    errors: ["not_found", "conflict"],
  },
  async (ctx, { params: { id: sourceId }, body }) => {
    const confirmed = { confirmedBy: beginningOf(personOf(ctx).name, MOST_NAME), confirmedAt: ctx.now };
    const mapping = await mapSource(ctx.db, ctx.projectId, { ...body, sourceId, ...confirmed });
    if (mapping === "unknown") throw new ApiError("not_found", "Source not found");
    if (mapping === "too_many")
      throw new ApiError("conflict", `A source has at most ${MOST_MAPPINGS} mappings.`);
    ctx.describe({ after: body });
    return { mapping: toMapping(mapping) };
  },
);

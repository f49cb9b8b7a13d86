import { z } from "zod";
import { endpoint } from "../../../platform/http/contract/endpoint.ts";
import { PERSON_ROLES } from "../../../platform/http/contract/person.ts";
import { readLaunchRules } from "../../campaigns/authoring/public.ts";

export const getLaunchRules = endpoint(
  {
    id: "getLaunchRules",
    method: "GET",
    path: "/api/people/launches/rules",
    tag: "Launches",
    summary: "Read who may do what reaches users, and whether only what was allowed launches by itself",
    keys: [],
    people: "viewer",
    result: z.object({
      role: z
        .enum(PERSON_ROLES)
        .describe(
          "The role from which people launch, resume, change what runs and loosen goals (`people.launch`).",
        ),
      approvedContent: z
        .boolean()
        .describe(
          "Whether a campaign launches by itself only as it was when a person allowed that (`launch.approvedContent`).",
        ),
    }),
  },
  (ctx) => readLaunchRules(ctx),
);

import { endpoint } from "../../../platform/http/contract/endpoint.ts";
import { LaunchPolicy } from "../schema.ts";
import { toPolicy } from "../view.ts";
import { readPolicy } from "./policy-store.ts";

export const getLaunchPolicy = endpoint(
  {
    id: "getLaunchPolicy",
    method: "GET",
    path: "/api/v1/launch-policy",
    tag: "Launches",
    summary: "Show how campaigns launch that say nothing of their own",
    keys: ["secret", "agent"],
    people: "viewer",
    budget: "campaigns",
    tool: "People decide what launches by itself.",
    result: LaunchPolicy,
  },
  async ({ db, projectId }) => toPolicy(await readPolicy(db, projectId)),
);

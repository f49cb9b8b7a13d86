import { z } from "zod";
import { endpoint } from "../../../platform/http/contract/endpoint.ts";
import { staleRevision } from "../refusals.ts";
import { expectedRevision, LaunchMode, LaunchPolicy } from "../schema.ts";
import { toPolicy } from "../view.ts";
import { changePolicy, readPolicy } from "./policy-store.ts";

export const updateLaunchPolicy = endpoint(
  {
    id: "updateLaunchPolicy",
    method: "PATCH",
    path: "/api/v1/launch-policy",
    audit: "changed how campaigns launch",
    tag: "Launches",
    summary: "Change how campaigns launch that say nothing of their own",
    description:
      "Acts on every campaign that was never launched and has no mode of its own: approved ones whose changes are live may launch at once.",
    keys: ["secret"],
    people: "owner",
    budget: "campaigns",
    tool: "People decide what launches by itself.",
    body: z.object({
      defaultMode: LaunchMode.describe(
        "Whether campaigns launch by themselves that say nothing of their own.",
      ),
      expectedRevision,
    }),
    example: { defaultMode: "manual", expectedRevision: "0" },
    result: LaunchPolicy,
    errors: ["conflict"],
    reasons: ["stale_revision"],
  },
  async ({ db, projectId, describe }, { body }) => {
    const policy = await readPolicy(db, projectId);
    const isOfNow = body.expectedRevision === String(policy.revision);
    const changed = isOfNow ? await changePolicy(db, projectId, body.defaultMode, policy.revision) : null;
    if (changed === null) throw staleRevision();
    describe({ before: { defaultMode: policy.defaultMode }, after: { defaultMode: changed.defaultMode } });
    return toPolicy(changed);
  },
);

import { z } from "zod";
import { type Ctx, endpoint, Replay } from "../../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../../platform/http/contract/errors.ts";
import { newUuid } from "../../../../platform/uuid.ts";
import { assertMayReachUsers, roleOf } from "../../../people/public.ts";
import { MOST_AHEAD_MS } from "../rules.ts";
import { Deployment, RecordDeploymentBody } from "../schema.ts";
import { findSource, lookSoon } from "../store.ts";
import { toDeployment } from "../view.ts";
import { report } from "./report.ts";

/** The row of a report about a deployment that is not known yet. */
const rowOf = ({ projectId, now }: Ctx, { deploymentId, ...report }: RecordDeploymentBody) => ({
  sourceId: report.sourceId,
  environment: report.environment,
  deploymentKey: deploymentId,
  id: newUuid(now),
  projectId,
  sha: report.sha,
  status: report.status,
  provider: "api",
  deployedAt: report.deployedAt ?? now,
  reportedAt: now,
  url: report.url ?? null,
  label: report.label ?? null,
});

export const recordDeployment = endpoint(
  {
    id: "recordDeployment",
    method: "POST",
    path: "/api/v1/deployments",
    audit: "reported a deployment",
    tag: "Launches",
    summary: "Say what was deployed where",
    description:
      "Campaigns that announce changes of the source launch once all of them are live wherever a mapping says. The deployment with the latest `deployedAt` counts, so that reports may come late, twice and in any order.",
    keys: ["secret"],
    people: "editor",
    reachesUsers: true,
    budget: "sources",
    tool: "Deployments are reported by the program that deploys.",
    body: RecordDeploymentBody,
    example: {
      deploymentId: "ci-1042",
      sourceId: "web",
      environment: "production",
      sha: "0123456789abcdef0123456789abcdef01234567",
      status: "success",
    },
    status: 201,
    replays: true,
    result: z.object({ deployment: Deployment.describe("What was deployed where.") }),
    errors: ["not_found", "conflict"],
  },
  async (ctx, { body }) => {
    const { db, projectId, now } = ctx;
    await assertMayReachUsers(ctx, roleOf(ctx), "deployment");
    if (body.deployedAt !== undefined && body.deployedAt > now + MOST_AHEAD_MS)
      throw new ApiError("invalid_request", "deployedAt must not be in the future");
    if ((await findSource(db, projectId, body.sourceId)) === null)
      throw new ApiError("not_found", "Source not found");
    const reported = await report(db, rowOf(ctx, body), body, now);
    if ("refusal" in reported) throw new ApiError("conflict", reported.refusal);
    const { row, became } = reported;
    if (became !== "known") await lookSoon(db, projectId, [body.sourceId], now);
    const answer = { deployment: toDeployment(row) };
    return became === "new" ? answer : new Replay(answer);
  },
);

import { z } from "zod";
import { endpoint } from "../../../../platform/http/contract/endpoint.ts";
import { pageAnswer, pageFields, pageQuery, pageWindow } from "../../../../platform/http/contract/page.ts";
import { Deployment, environment, sourceId } from "../schema.ts";
import { toDeployment } from "../view.ts";
import { listDeployments as selectDeployments } from "./deployment-store.ts";

export const listDeployments = endpoint(
  {
    id: "listDeployments",
    method: "GET",
    path: "/api/v1/deployments",
    tag: "Launches",
    summary: "List what was deployed where, newest first",
    keys: ["secret", "agent"],
    people: "viewer",
    budget: "sources",
    tool: "Deployments are reported by the program that deploys.",
    oneInstant: true,
    query: z.object({
      sourceId: sourceId.optional(),
      environment: environment.optional(),
      ...pageQuery(),
    }),
    result: z.object({ deployments: z.array(Deployment).max(100).describe("Newest first."), ...pageFields }),
  },
  async ({ db, projectId }, { query }) => {
    const filter = { sourceId: query.sourceId, environment: query.environment };
    const { rows, total } = await selectDeployments(db, projectId, filter, pageWindow(query));
    return { deployments: rows.map(toDeployment), ...pageAnswer(query, total) };
  },
);

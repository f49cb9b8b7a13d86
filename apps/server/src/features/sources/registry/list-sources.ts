import { z } from "zod";
import { endpoint } from "../../../platform/http/contract/endpoint.ts";
import { launchSettings } from "../../campaigns/authoring/status/settings.pure.ts";
import { readSome } from "../../settings/public.ts";
import { Source } from "./schema.ts";
import { listMappings, listSources as selectSources } from "./store.ts";
import { toSource } from "./view.ts";

export const listSources = endpoint(
  {
    id: "listSources",
    method: "GET",
    path: "/api/v1/sources",
    tag: "Launches",
    summary: "List the repositories from which changes are deployed, and where to",
    description:
      "People add them in the dashboard, under Sources, or at the command line: `tidings source add`, `tidings mapping add`.",
    keys: ["secret", "agent"],
    people: "viewer",
    budget: "sources",
    tool: "Deployments are reported by the program that deploys.",
    oneInstant: true,
    result: z.object({
      paused: z.boolean().describe("Whether no campaign of the project launches by itself."),
      sources: z.array(Source).max(100).describe("By id."),
    }),
  },
  async ({ db, projectId }) => {
    const { "launch.paused": paused } = await readSome(db, projectId, launchSettings, ["launch.paused"]);
    const mappings = await listMappings(db, projectId);
    const sources = await selectSources(db, projectId);
    return { paused, sources: sources.map((row) => toSource(row, mappings)) };
  },
);

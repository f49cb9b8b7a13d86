import { z } from "zod";
import { endpoint, personOf } from "../../../platform/http/contract/endpoint.ts";
import { launchSettings } from "../../campaigns/authoring/status/settings.pure.ts";
import { readSome } from "../../settings/public.ts";
import { pauseLaunches } from "./pause.ts";

export const setLaunchesPaused = endpoint(
  {
    id: "setLaunchesPaused",
    method: "PUT",
    path: "/api/people/launches/paused",
    audit: "paused or resumed launches",
    tag: "Launches",
    summary: "Keep every campaign of the project from launching by itself, or let them again",
    description: "Campaigns that a person or a program launches go on being launched.",
    keys: [],
    people: "approver",
    body: z.object({ paused: z.boolean().describe("Whether none launches by itself.") }),
    example: { paused: true },
    result: z.object({ paused: z.boolean().describe("Whether none launches by itself now.") }),
  },
  async (ctx, { body: { paused } }) => {
    const { app, db, projectId, now } = ctx;
    const { "launch.paused": before } = await readSome(db, projectId, launchSettings, ["launch.paused"]);
    ctx.describe({ before: { paused: before }, after: { paused } });
    await pauseLaunches(db, app.secrets, projectId, { isPaused: paused, by: personOf(ctx).name, now });
    return { paused };
  },
);

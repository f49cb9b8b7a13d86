import { z } from "zod";
import { endpoint } from "../../platform/http/contract/endpoint.ts";
import { rolesThere } from "../../platform/loops/processes.ts";

export const getAtWork = endpoint(
  {
    id: "getAtWork",
    method: "GET",
    path: "/api/people/at-work",
    tag: "Server",
    summary: "Whether somebody does what happens by itself",
    description: "By the heartbeats of the processes on this database.",
    keys: [],
    people: "any",
    scope: "organization",
    result: z.object({
      worker: z
        .boolean()
        .describe("Whether a process sends, plans, counts and keeps house: one with the role worker."),
      agent: z.boolean().describe("Whether a process looks after campaigns: one with the role agent."),
    }),
  },
  ({ db }) => rolesThere(db),
);

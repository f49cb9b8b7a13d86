import { beginningOf } from "@tidings/client/text";
import { z } from "zod";
import { pathIds } from "../../../domain/fields.ts";
import { uuidFor } from "../../../domain/ids.ts";
import { endpoint } from "../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../platform/http/contract/errors.ts";
import { epochMs, text } from "../../../platform/http/contract/fields.ts";
import { findRun } from "../../runs/public.ts";
import { replayRun } from "./replay-run.ts";

const MAX_FAULT = 4_000;

export const replayAgentRun = endpoint(
  {
    id: "replayAgentRun",
    method: "GET",
    path: "/api/people/agent-runs/{id}/replay",
    tag: "Agent runs",
    summary: "Make a logged decision again from what it was made from, and compare",
    description:
      "statistical@1 computes it again from its snapshot; model@1 is fed with the transcript, and no model is asked. Changes nothing.",
    keys: [],
    people: "viewer",
    cost: "heavy",
    oneInstant: true,
    params: z.object({ id: pathIds.run }),
    result: z.object({
      outcome: z
        .enum(["equal", "differs", "only_hashes", "no_decision"])
        .describe(
          "`only_hashes`: an imported run of a model speaks of ids that are no more, so its hashes alone were compared, and are right. `no_decision`: it is no decision of Tidings' own agent.",
        ),
      policy: text(128, 0).nullable().describe("What decided; null where the run is no decision."),
      fault: text(MAX_FAULT).nullable().describe("What is different; null where nothing is."),
      at: epochMs.describe("When it was made again, epoch milliseconds."),
    }),
    errors: ["not_found"],
  },
  async ({ db, projectId, now: at }, { params }) => {
    const run = await findRun(db, projectId, uuidFor("run", params.id));
    if (run === null) throw new ApiError("not_found", "Agent run not found");
    const replayed = await replayRun(db, projectId, run);
    if (replayed === null) return { outcome: "no_decision" as const, policy: null, fault: null, at };
    const { policy, fault, onlyHashes = false } = replayed;
    const equal = onlyHashes ? ("only_hashes" as const) : ("equal" as const);
    return {
      outcome: fault === null ? equal : ("differs" as const),
      policy: beginningOf(policy, 128),
      fault: fault === null ? null : beginningOf(fault, MAX_FAULT),
      at,
    };
  },
);

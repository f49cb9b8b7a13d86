import { z } from "zod";
import { pathIds } from "../../../domain/fields.ts";
import { apiId, uuidFor } from "../../../domain/ids.ts";
import { endpoint } from "../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../platform/http/contract/errors.ts";
import { Transcript } from "../schema.ts";
import { findTranscript } from "./transcript-store.ts";

export const getAgentRunTranscript = endpoint(
  {
    id: "getAgentRunTranscript",
    method: "GET",
    path: "/api/v1/agent-runs/{id}/transcript",
    tag: "Agent runs",
    summary: "Read what a model was asked and answered for a run",
    keys: ["secret", "agent"],
    people: "viewer",
    budget: "runs",
    tool: "Transcripts are evidence of what a model did, which programs write and people read.",
    params: z.object({ id: pathIds.run }),
    result: z.object({ transcript: Transcript.describe("The transcript.") }),
    errors: ["not_found"],
  },
  async ({ db, projectId }, { params }) => {
    const found = await findTranscript(db, projectId, uuidFor("run", params.id));
    if (found === null) throw new ApiError("not_found", "Transcript not found");
    return { transcript: { ...found, runId: apiId("run", found.runId) } };
  },
);

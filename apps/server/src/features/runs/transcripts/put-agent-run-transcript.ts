import { z } from "zod";
import { pathIds } from "../../../domain/fields.ts";
import { apiId, uuidFor } from "../../../domain/ids.ts";
import { endpoint, KIB, Replay } from "../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../platform/http/contract/errors.ts";
import { canonicalHash } from "../../../platform/text/canonical.ts";
import { spendDay } from "../quota.ts";
import { PutTranscriptBody, TranscriptReceipt } from "../schema.ts";
import { findRun } from "../store.ts";
import { transcriptFault } from "./transcript.ts";
import { findTranscript, insertTranscript } from "./transcript-store.ts";

const exchange = {
  request: { model: "small-1", messages: [{ role: "user", content: "What now?" }] },
  response: { choices: [{ message: { role: "assistant", content: "Keep it." } }] },
};

export const putAgentRunTranscript = endpoint(
  {
    id: "putAgentRunTranscript",
    method: "PUT",
    path: "/api/v1/agent-runs/{id}/transcript",
    tag: "Agent runs",
    summary: "Keep what a model was asked and answered for a run",
    description:
      "Written once: the same entries again are answered with 200, others are refused. `hash` of an entry is SHA-256, in hex, of the hash before it (nothing before the first) followed by the RFC 8785 JSON of `{request, response}`.",
    keys: ["secret", "agent"],
    budget: "runs",
    tool: "Transcripts are evidence of what a model did, which programs write and people read.",
    bodyLimit: 1_024 * KIB,
    params: z.object({ id: pathIds.run }),
    body: PutTranscriptBody,
    example: { entries: [{ ...exchange, hash: canonicalHash(exchange) }] },
    status: 201,
    replays: true,
    result: z.object({ transcript: TranscriptReceipt.describe("The transcript.") }),
    errors: ["not_found", "conflict"],
    reasons: ["day_is_full"],
  },
  async (ctx, { params, body }) => {
    const { db, projectId, now } = ctx;
    const runId = uuidFor("run", params.id);
    const run = await findRun(db, projectId, runId);
    if (run === null) throw new ApiError("not_found", "Agent run not found");
    const { entries } = body;
    const json = JSON.stringify(entries);
    const found = transcriptFault(entries, run.output);
    if (found !== null) {
      const field = found.entry === null ? "entries" : `entries[${found.entry}].hash`;
      throw new ApiError("invalid_request", `${field} ${found.fault}`);
    }
    const hash = entries.at(-1)?.hash ?? "";
    const isNew = await insertTranscript(db, projectId, { runId, json, hash, createdAt: now });
    const kept = isNew ? { hash, createdAt: now } : await findTranscript(db, projectId, runId);
    if (kept?.hash !== hash) throw new ApiError("conflict", "This run has another transcript.");
    if (isNew) await spendDay(ctx, [json]);
    const id = apiId("run", runId);
    const transcript = { runId: id, entryCount: entries.length, hash, createdAt: kept.createdAt };
    return isNew ? { transcript } : new Replay({ transcript });
  },
);

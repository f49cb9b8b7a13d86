import { uuidFor } from "../../domain/ids.ts";
import type { Ctx } from "../../platform/http/endpoint.ts";
import { ApiError } from "../../platform/http/errors.ts";
import type { AgentRun, TranscriptEntry } from "./schema.ts";
import { transcriptFault } from "./transcript.ts";
import { findTranscript, insertTranscript } from "./transcript-store.ts";

/** A transcript that is kept: its last hash, and since when (epoch milliseconds). */
type Kept = { hash: string; createdAt: number; isNew: boolean };

/**
 * Keeps the transcript of a run, once: the same entries again are left as they are.
 * @param field where the entries stand in the request
 * @throws ApiError invalid_request for hashes that are not right, conflict where the run has another transcript
 */
export async function keepTranscript(
  { db, projectId, now }: Pick<Ctx, "db" | "projectId" | "now">,
  { id, output }: Pick<AgentRun, "id" | "output">,
  field: string,
  given: readonly TranscriptEntry[],
): Promise<Kept> {
  const runId = uuidFor("run", id);
  const json = JSON.stringify(given);
  // Judged as it will be read: what is not JSON, such as a number that is too large, becomes null when it is written.
  const entries = JSON.parse(json) as TranscriptEntry[];
  const found = transcriptFault(entries, output);
  if (found !== null) {
    const place = found.entry === null ? field : `${field}[${found.entry}].hash`;
    throw new ApiError("invalid_request", `${place} ${found.fault}`);
  }
  const hash = entries.at(-1)?.hash ?? "";
  const isNew = await insertTranscript(db, projectId, { runId, json, hash, createdAt: now });
  const kept = isNew ? { hash, createdAt: now } : await findTranscript(db, projectId, runId);
  if (kept?.hash !== hash) throw new ApiError("conflict", "This run has another transcript.");
  return { hash, createdAt: kept.createdAt, isNew };
}

import { canonicalHash, canonicalJson } from "../../canonical.ts";
import type { Decision, TranscriptEntry } from "../../policy.ts";
import type { Snapshot } from "../../snapshot.ts";
import { converse, TOO_LARGE } from "./converse.ts";
import { isObject } from "./plain.ts";
import { readDocument } from "./prompt.ts";
import { type Endpoint, type Recorded, responseKind } from "./recorded.ts";
import type { AnswerTool } from "./tools.ts";

/** What is not in a replay as it was recorded. `exchange` is its place in the transcript, from 0. */
export class ReplayDifference extends Error {
  readonly exchange: number;

  constructor(exchange: number, what: string) {
    super(`Exchange ${exchange} of the transcript ${what}.`);
    this.exchange = exchange;
  }
}

function verifyChain(transcript: readonly TranscriptEntry[]): void {
  let before = "";
  for (const [index, { request, response, hash }] of transcript.entries()) {
    before = canonicalHash({ request, response }, before);
    if (before !== hash) throw new ReplayDifference(index, "has not the hash of what it says");
  }
}

/** What a tool answered, by the messages of the request after it; empty where it was not sent. */
function recordedAnswer(next: TranscriptEntry | undefined, id: string): string {
  const { messages } = next?.request ?? {};
  if (!Array.isArray(messages)) return "";
  const found: unknown = messages.findLast(
    (each: unknown) => isObject(each) && each.role === "tool" && each.tool_call_id === id,
  );
  return isObject(found) && typeof found.content === "string" ? found.content : "";
}

/**
 * Decides again, by the same dialogue, in which the transcript answers for the model and for the tools; nothing is sent. Answers the
 * decision, for the caller to compare. The limits and messages are those that the model was given, so settings may have changed since.
 * @throws ReplayDifference where the transcript is not that of this policy and snapshot, and at which exchange
 */
export async function replayModel1(
  snapshot: Snapshot,
  transcript: readonly TranscriptEntry[],
): Promise<Decision> {
  const [first] = transcript;
  if (first === undefined) return TOO_LARGE;
  verifyChain(transcript);
  const document = readDocument(first.request, snapshot);
  if (typeof document === "string") throw new ReplayDifference(0, document);
  const { model } = first.request;
  if (typeof model !== "string") throw new ReplayDifference(0, "names no model");
  let used = 0;
  let difference: ReplayDifference | null = null;
  const differs = (exchange: number, what: string): never => {
    difference ??= new ReplayDifference(exchange, what);
    throw difference;
  };
  const endpoint: Endpoint = async (request) => {
    const entry = transcript[used];
    if (entry === undefined) return differs(used, "is missing: the model would be asked further");
    if (canonicalJson(entry.request) !== canonicalJson(request))
      return differs(used, "has another request than would be sent now");
    if (responseKind(entry.response) === null) return differs(used, "has a response that is none");
    used += 1;
    return { response: entry.response as Recorded, pauseMs: 0 };
  };
  const answerTool: AnswerTool = async ({ id }) => recordedAnswer(transcript[used], id);
  const signal = new AbortController().signal;
  const { decision } = await converse({ model, snapshot, ...document, endpoint, answerTool, signal });
  if (difference !== null) throw difference;
  if (used < transcript.length) throw new ReplayDifference(used, "would not be sent now");
  return decision;
}

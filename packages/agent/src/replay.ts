import { canonicalHash, canonicalJson } from "./canonical.ts";
import { decideStatistically, statistical1 } from "./policies/statistical-1.ts";
import type { Decision, TranscriptEntry } from "./policy.ts";
import { type Logged, loggedOf, type Run } from "./runs.ts";

/** Its file is loaded where it is needed, with the libraries that it needs. */
const MODEL_1 = "model@1";

/**
 * What replaying a run found: the policy, and what is not as it was logged; null where all is equal. `onlyHashes` where nothing else
 * could be compared.
 */
export type Replayed = { policy: string; fault: string | null; onlyHashes?: true };

/** A decision that was made again, or what is different from then. */
type Again = { decision: Decision } | { fault: string };

async function decideByTranscript(
  { snapshot }: Logged,
  transcript: readonly TranscriptEntry[],
): Promise<Again> {
  const { ReplayDifference, replayModel1 } = await import("./policies/model-1/index.ts");
  try {
    return { decision: await replayModel1(snapshot, transcript) };
  } catch (cause) {
    if (cause instanceof ReplayDifference) return { fault: cause.message.replace(/\.$/, "") };
    throw cause;
  }
}

async function decideAgain(logged: Logged, transcript: readonly TranscriptEntry[]): Promise<Again> {
  const { policy, snapshot } = logged;
  if (policy === statistical1.name) return { decision: decideStatistically(snapshot) };
  if (policy === MODEL_1) return decideByTranscript(logged, transcript);
  return { fault: `this version has no policy ${policy}` };
}

/** Runs are logged with a project's own key, so one may say what no runner has seen. */
function unreadable(cause: unknown): Again {
  if (cause instanceof TypeError) return { fault: "its snapshot is none that this policy can read" };
  throw cause;
}

function transcriptFault({ transcriptHash }: Logged, transcript: readonly TranscriptEntry[]): string | null {
  if (transcriptHash === null) return null;
  if (transcript.length === 0) return "its transcript was not kept";
  let before = "";
  for (const [index, { request, response, hash }] of transcript.entries()) {
    before = canonicalHash({ request, response }, before);
    if (before !== hash) return `the hash of entry ${index} of its transcript is not that of what it says`;
  }
  return before === transcriptHash ? null : "its transcript is not the one that it names";
}

/**
 * Makes a logged decision again, from what the run says it was made from, and compares: the hash of the snapshot, the hashes of the
 * transcript, and the decision byte by byte. Null where another program logged the run.
 * @param isImported whether the run came with an import, which gives everything new ids: the snapshot has another hash then, and where a
 * model was asked, the hashes of the transcript are what is compared
 */
export async function replay(
  run: Pick<Run, "input" | "output">,
  transcript: readonly TranscriptEntry[],
  isImported = false,
): Promise<Replayed | null> {
  const logged = loggedOf(run);
  if (logged === null) return null;
  const { policy, snapshot, snapshotHash, decision } = logged;
  const broken = (fault: string): Replayed => ({ policy, fault });
  if (!isImported && canonicalHash(snapshot) !== snapshotHash)
    return broken("the hash of its snapshot is not that of what it says");
  const found = transcriptFault(logged, transcript);
  if (found !== null) return broken(found);
  // A transcript is kept as it was sent, so it speaks of ids that the imported campaign has not any more.
  if (isImported && transcript.length > 0) return { policy, fault: null, onlyHashes: true };
  const again = await decideAgain(logged, transcript).catch(unreadable);
  if ("fault" in again) return broken(again.fault);
  const [then, now] = [canonicalJson(decision), canonicalJson(again.decision)];
  return then === now ? { policy, fault: null } : broken(`it decided ${then}, and decides ${now} now`);
}

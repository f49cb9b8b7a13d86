import { apiId } from "../../../domain/ids.ts";
import type { Db } from "../../../platform/db/db.ts";
import { transcriptFault } from "../transcripts/transcript.ts";
import { hashOfRun } from "./chain.ts";
import {
  findHead,
  listChainedProjectsAcrossProjects,
  listLinks,
  listTranscribedProjectsAcrossProjects,
  listTranscripts,
} from "./verify-store.ts";

/** Runs that are read at once, and transcripts, of which each may have a megabyte. */
const PAGE = 200;
const PAGE_OF_TRANSCRIPTS = 10;

/**
 * A place at which history is broken: number and id of the run there, and what is wrong. The number is null for a run in no chain, the
 * id where it is about the head.
 */
export type Break = { seq: number | null; runId: string | null; fault: string };

/** What a chain consists of: how many runs, and its last link, of which a person can keep a copy elsewhere. */
export type Chain = { runs: number; headSeq: number; headHash: string };

/**
 * Computes a project's whole chain again, page by page, and tells `onBreak` of each break. A run is compared with what stands before it
 * in the table, so that one damaged run is one break, or two where its hash is damaged. All reads should see one snapshot.
 */
export async function walkChain(db: Db, projectId: string, onBreak: (found: Break) => void): Promise<Chain> {
  const head = await findHead(db, projectId);
  const from = { seq: head?.startSeq ?? 0, hash: head?.startHash ?? "" };
  let last = from;
  let runs = 0;
  let isSigned = false;
  for (let after: number | null = null; ; ) {
    const page = await listLinks(db, projectId, after, PAGE);
    for (const { chain, ...run } of page) {
      const { seq, hash, prevHash } = chain;
      const tell = (fault: string) => onBreak({ seq, runId: run.id, fault });
      if (seq !== last.seq + 1) tell(`it follows number ${last.seq}: runs between them are missing`);
      else if (prevHash !== last.hash) tell("it names another run as the one before it");
      else if (hashOfRun(run, { projectId, seq, prevHash }) !== hash)
        tell("its hash is not that of what it says");
      else if (isSigned && run.writtenBy === null)
        tell("it does not say who wrote it, and a run before it does");
      isSigned ||= run.writtenBy !== null;
      last = { seq, hash };
      runs++;
    }
    after = last.seq;
    if (page.length < PAGE) break;
  }
  const isLast = head === null ? runs === 0 : head.seq === last.seq && head.hash === last.hash;
  if (!isLast) onBreak({ seq: last.seq, runId: null, fault: "the last run is not the head of the chain" });
  return { runs, headSeq: last.seq, headHash: last.hash };
}

/** How many breaks the chains of all projects have. */
export async function countBreaksAcrossProjects(db: Db): Promise<number> {
  let breaks = 0;
  for (const projectId of await listChainedProjectsAcrossProjects(db))
    await walkChain(db, projectId, () => breaks++);
  return breaks;
}

/** Computes the hashes of all transcripts of a project again, and tells `onBreak` of each that is not whole; answers how many there are. */
export async function walkTranscripts(
  db: Db,
  projectId: string,
  onBreak: (found: Break) => void,
): Promise<number> {
  let transcripts = 0;
  for (let after: string | null = null; ; ) {
    const page = await listTranscripts(db, projectId, after, PAGE_OF_TRANSCRIPTS);
    for (const { runId, seq, entries, hash, output } of page) {
      const tell = (fault: string) => onBreak({ seq, runId: apiId("run", runId), fault });
      const found = transcriptFault(entries, output);
      if (found?.entry === null) tell("its transcript is not the one that it names");
      else if (found !== null)
        tell(`the hash of entry ${found.entry} of its transcript is not that of what it says`);
      else if (entries.at(-1)?.hash !== hash) tell("its transcript does not end with the hash that was kept");
      transcripts++;
      after = runId;
    }
    if (page.length < PAGE_OF_TRANSCRIPTS) return transcripts;
  }
}

/** What a project's history consists of, and the first place at which it is broken; null where it is whole. */
export type Verified = Chain & { transcripts: number; firstBreak: Break | null };

/** Computes the chain and the transcripts of a project again. All reads should see one snapshot. */
export async function verifyProject(db: Db, projectId: string): Promise<Verified> {
  const breaks: Break[] = [];
  const keepFirst = (found: Break): void => {
    if (breaks.length === 0) breaks.push(found);
  };
  const chain = await walkChain(db, projectId, keepFirst);
  const transcripts = await walkTranscripts(db, projectId, keepFirst);
  return { ...chain, transcripts, firstBreak: breaks[0] ?? null };
}

/** How many transcripts of all projects are not whole. */
export async function countBrokenTranscriptsAcrossProjects(db: Db): Promise<number> {
  let breaks = 0;
  for (const projectId of await listTranscribedProjectsAcrossProjects(db))
    await walkTranscripts(db, projectId, () => breaks++);
  return breaks;
}

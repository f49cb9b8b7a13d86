import { askGit, splitLines } from "./ask.ts";
import type { Mirror } from "./mirror.ts";
import { MOST_PATCH_BYTES } from "./running/run.ts";

/** A file that changed. `patch` is null for what is no text, larger than 256 KB, or beyond the bound. */
export type ChangedFile = { path: string; patch: string | null };

/** The largest file of which there is a patch, in bytes. */
const MOST_BLOB_BYTES = 256 * 1_024;
/** Files whose patches are read at once. */
const AT_ONCE = 50;
const NO_BLOB = "0".repeat(40);
const REGULAR = new Set(["100644", "100755", "120000", "000000"]);

type RawChange = { path: string; blobs: readonly string[]; isReadable: boolean };

/** The records of `diff-tree --raw -z`. */
function parseRaw(text: string): RawChange[] {
  const parts = text.split("\0");
  const changes: RawChange[] = [];
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [from = "", to = "", a = "", b = "", status = ""] = (parts[at] ?? "").slice(1).split(" ");
    // What turns into another kind of file has two patches, and submodules have none.
    const isReadable = REGULAR.has(from) && REGULAR.has(to) && status !== "T";
    changes.push({ path: parts[at + 1] ?? "", blobs: [a, b].filter((blob) => blob !== NO_BLOB), isReadable });
  }
  return changes;
}

/** Which of these changes are of small files. */
async function withoutLarge(mirror: Mirror, changes: readonly RawChange[], signal: AbortSignal) {
  const blobs = changes.flatMap((each) => (each.isReadable ? each.blobs : []));
  const input = blobs.map((blob) => `${blob}\n`).join("");
  const sizes = await askGit(mirror, ["cat-file", "--batch-check=%(objectname) %(objectsize)"], {
    input,
    signal,
    maxBytes: MOST_PATCH_BYTES,
  });
  const sizeOf = new Map(splitLines(sizes?.stdout ?? "").map((line) => line.split(" ") as [string, string]));
  return new Set(
    changes
      .filter(
        ({ isReadable, blobs: own }) =>
          isReadable && own.every((blob) => Number(sizeOf.get(blob)) <= MOST_BLOB_BYTES),
      )
      .map(({ path }) => path),
  );
}

const OPTIONS = ["--no-ext-diff", "--no-textconv", "--no-color", "--no-renames", "--ignore-submodules"];

/** The patches of some files, in the order of the paths. */
async function readPatches(
  mirror: Mirror,
  [before, after]: readonly [string, string],
  paths: readonly string[],
  signal: AbortSignal,
): Promise<(string | null)[]> {
  const named = paths.map((path) => `:(literal,top)${path}`);
  const diff = await askGit(mirror, ["diff", ...OPTIONS, before, after, "--", ...named], { signal });
  // Lines of a patch begin with a sign, so that this is never a line of a file.
  const patches = (diff?.stdout ?? "").split(/^(?=diff --git )/m).filter((patch) => patch !== "");
  if (patches.length !== paths.length) return paths.map(() => null);
  return patches.map((patch) =>
    /^Binary files /m.test(patch) || patch.includes("\0") ? null : patch.toWellFormed(),
  );
}

/**
 * What changed from one commit to another, by path; patches of the first `files` of them, up to about so many `bytes`, the others are null.
 * Null where git cannot tell.
 */
export async function readFiles(
  mirror: Mirror,
  before: string,
  after: string,
  signal: AbortSignal,
  most: { files: number; bytes: number },
): Promise<ChangedFile[] | null> {
  const raw = await askGit(mirror, ["diff-tree", "-r", "-z", "--raw", "--no-renames", before, after], {
    signal,
    maxBytes: MOST_PATCH_BYTES,
  });
  if (raw === null) return null;
  const changes = parseRaw(raw.stdout);
  const small = await withoutLarge(mirror, changes.slice(0, most.files), signal);
  const patches = new Map<string, string | null>();
  let bytes = 0;
  const paths = changes.map(({ path }) => path).filter((path) => small.has(path));
  for (let at = 0; at < paths.length && bytes <= most.bytes; at += AT_ONCE) {
    const some = paths.slice(at, at + AT_ONCE);
    const read = await readPatches(mirror, [before, after], some, signal);
    for (const [index, path] of some.entries()) {
      const patch = read[index] ?? null;
      patches.set(path, patch);
      bytes += patch === null ? 0 : Buffer.byteLength(patch);
    }
  }
  return changes.map(({ path }) => ({ path: path.toWellFormed(), patch: patches.get(path) ?? null }));
}

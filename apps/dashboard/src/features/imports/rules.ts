import type { Answer } from "@tidings/client";
import { isWhole } from "./upload-parts.pure.ts";

/** A file that is brought in, as the API shows it. */
export type ImportFile = Answer<"getImport">["import"];
/** What the server found in a file, and what its columns seem to mean. */
export type FileLook = Answer<"lookAtImport">;
export type ImportKind = ImportFile["kind"];
export type ImportPreset = NonNullable<ImportFile["preset"]>;
export type ColumnMapping = FileLook["mapping"];
export type ReadingOptions = FileLook["options"];
/** Where those are who get no mail, if the file does not say it. */
export type LeftElsewhere = NonNullable<ImportFile["whoLeft"]>;

export const IMPORT_KINDS = ["users", "events", "suppressions"] as const satisfies readonly ImportKind[];

/** The kind that an address names; users where it names none, or none that there is. */
export const kindIn = ({ kind }: Readonly<Record<string, string>>): ImportKind =>
  IMPORT_KINDS.find((each) => each === kind) ?? "users";

/**
 * How far a file is. uploading: parts are missing. ready: it can be tried and brought in; it may have been tried, stopped or failed before.
 * reading: its lines are read just now. over: it was brought in.
 */
type Stage = "uploading" | "ready" | "reading" | "over";

type Progressing = Pick<ImportFile, "state" | "isDryRun" | "parts">;

export function stageOf(file: Progressing): Stage {
  if (file.state === "running") return "reading";
  if (file.state === "done" && !file.isDryRun) return "over";
  return isWhole(file.parts) ? "ready" : "uploading";
}

/** How often a page looks while a file is read or uploaded, and otherwise. */
const [MOVING_MS, RESTING_MS] = [1_000, 15_000] as const;

/** How long until the page looks again, in milliseconds. */
export const lookAgainMs = (files: readonly Progressing[]): number =>
  files.some((file) => ["reading", "uploading"].includes(stageOf(file))) ? MOVING_MS : RESTING_MS;

/** Which part of a file was read, from 0 to 1; null where nothing is known of its size. */
export const shareRead = ({ bytes, bytesRead }: Pick<ImportFile, "bytes" | "bytesRead">): number | null =>
  bytes === 0 ? null : Math.min(1, bytesRead / bytes);

/** Whether an import brought in addresses that get no mail, so that another one may name it. */
export const bringsStops = ({ state, isDryRun, kind, mapping }: ImportFile): boolean =>
  state === "done" && !isDryRun && (kind === "suppressions" || (mapping?.suppressed ?? []).length > 0);

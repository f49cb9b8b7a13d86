import type { Answer, Input } from "@tidings/client";

/** A schedule by which lists are written as files, as the API shows it. */
export type Sync = Answer<"getSync">["sync"];
/** What was written of one list: from an instant to another. */
export type SyncWindow = Answer<"listSyncWindows">["windows"][number];
export type SyncListName = Sync["lists"][number];
type SyncBody = Input<"createSync">["body"];

/** All lists, in the order in which people read them. */
export const SYNC_LISTS = [
  "events",
  "users",
  "identities",
  "deliveries",
  "sends",
  "suppressions",
  "runs",
] as const satisfies readonly SyncListName[];

/** Those that are written as they arrive; all others are written whole, once a day. */
const ARRIVING: readonly SyncListName[] = ["events"];
export const isArriving = (list: SyncListName): boolean => ARRIVING.includes(list);

/** Lists in the order in which people read them, each once. */
export const inOrder = (lists: readonly SyncListName[]): SyncListName[] =>
  SYNC_LISTS.filter((list) => lists.includes(list));

/** What is chosen with one list more, or less. */
export const toggled = (lists: readonly SyncListName[], list: SyncListName): SyncListName[] =>
  inOrder(lists.includes(list) ? lists.filter((each) => each !== list) : [...lists, list]);

/** How a sync is. */
export type SyncStanding = "off" | "failing" | "writing" | "begins" | "current";

export function syncStandingOf({
  state,
  failingSince,
  isWriting,
  succeededAt,
}: Pick<Sync, "state" | "failingSince" | "isWriting" | "succeededAt">): SyncStanding {
  if (state === "off") return "off";
  if (failingSince !== null) return "failing";
  if (isWriting) return "writing";
  return succeededAt === null ? "begins" : "current";
}

/** Until when all is there that a sync writes as it arrives (epoch ms); of one without such lists, as of when the others are. Null: nothing is. */
export function writtenUntil({ progress }: Pick<Sync, "progress">): number | null {
  const arriving = progress.filter(({ list }) => isArriving(list));
  const ends = (arriving.length > 0 ? arriving : progress).map((each) => each.writtenUntil ?? 0);
  const end = Math.min(...ends);
  return end > 0 ? end : null;
}

/** How long until a page looks again, in milliseconds: soon while something is written, or about to be. */
const [MOVING_MS, RESTING_MS] = [2_000, 10_000] as const;
export const nextLookMs = (syncs: readonly Sync[]): number =>
  syncs.some(({ state, isWriting, dueAt }) => state === "on" && (isWriting || (dueAt ?? 0) <= Date.now()))
    ? MOVING_MS
    : RESTING_MS;

/** What a person writes of a place. The fields of both kinds stay while they look at the other one. */
export type PlaceDraft = {
  kind: "s3" | "folder";
  folder: string;
  endpoint: string;
  region: string;
  bucket: string;
  prefix: string;
  accessKeyId: string;
  secretAccessKey: string;
};

/** What a person writes of a new sync. */
export type SyncDraft = {
  lists: readonly SyncListName[];
  format: Sync["format"];
  every: Sync["every"];
  history: boolean;
  place: PlaceDraft;
};

/** The name of a project as a part of a path: what every store takes. */
export function slugOf(name: string): string {
  const plain = name.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();
  const slug = plain
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, 60)
    .replaceAll(/^-+|-+$/g, "");
  return slug === "" ? "project" : slug;
}

/** A name that none of those has that are taken: with a number behind it, where there is one like it. */
export function freeName(name: string, taken: readonly string[]): string {
  for (let n = 1; ; n++) {
    const candidate = n === 1 ? name : `${name}-${n}`;
    if (!taken.includes(candidate)) return candidate;
  }
}

/** What the form begins with. */
export function firstDraft(projectName: string, syncs: readonly Sync[]): SyncDraft {
  const slug = slugOf(projectName);
  return {
    lists: ["events", "users"],
    format: "parquet",
    every: "hour",
    history: true,
    place: {
      kind: "s3",
      folder: freeName(
        slug,
        syncs.flatMap(({ to }) => ("folder" in to ? [to.folder] : [])),
      ),
      endpoint: "",
      region: "",
      bucket: "",
      prefix: freeName(
        `tidings/${slug}`,
        syncs.flatMap(({ to }) => ("s3" in to ? [to.s3.prefix] : [])),
      ),
      accessKeyId: "",
      secretAccessKey: "",
    },
  };
}

/** The place as a request has it. */
function placeOf({ kind, folder, ...s3 }: PlaceDraft): SyncBody["to"] {
  if (kind === "folder") return { folder: folder.trim() };
  const { endpoint, region, bucket, prefix, accessKeyId, secretAccessKey } = s3;
  return {
    s3: {
      endpoint: endpoint.trim(),
      region: region.trim(),
      bucket: bucket.trim(),
      prefix: prefix.trim().replaceAll(/^\/+|\/+$/g, ""),
      accessKeyId: accessKeyId.trim(),
      secretAccessKey: secretAccessKey.trim(),
    },
  };
}

/** The draft as a request has it. */
export const sentOf = ({ lists, place, ...rest }: SyncDraft): SyncBody => ({
  ...rest,
  lists: [...lists],
  to: placeOf(place),
});

/** Whether every field has something in it. */
export function isComplete({ lists, place }: SyncDraft): boolean {
  const to = placeOf(place);
  const fields = "folder" in to ? [to.folder] : Object.values(to.s3);
  return lists.length > 0 && fields.every((field) => field !== "");
}

/** The list that an address asks for; undefined for all. */
export const listIn = ({ list }: Readonly<Record<string, string>>): SyncListName | undefined =>
  SYNC_LISTS.find((each) => each === list);

/** What a window contains. arrived: what came from one instant to another. before: all that came before an instant. whole: a list as it was on a day. */
export type WindowSpan =
  | { kind: "arrived"; since: number; until: number }
  | { kind: "before"; until: number }
  | { kind: "whole"; day: number };

export function spanOfWindow({
  list,
  since,
  until,
}: Pick<SyncWindow, "list" | "since" | "until">): WindowSpan {
  if (!isArriving(list)) return { kind: "whole", day: until };
  return since === null ? { kind: "before", until } : { kind: "arrived", since, until };
}

import type { Feature } from "../../domain/feature.ts";
import { syncAlertsLoop } from "./alert-loop.ts";
import { changeSync } from "./change-sync.ts";
import { countGapsAcrossProjects, countMissumsAcrossProjects } from "./check-store.ts";
import { syncCommands } from "./commands/sync.ts";
import { createSync } from "./create-sync.ts";
import { deleteSync } from "./delete-sync.ts";
import { getSync } from "./get-sync.ts";
import { listSyncWindows } from "./list-sync-windows.ts";
import { listSyncs } from "./list-syncs.ts";
import { syncMetrics } from "./metrics.ts";
import { runSync } from "./run-sync.ts";
import { tables } from "./tables.pure.ts";
import { syncLoop } from "./writing/sync-loop.ts";

export const syncs: Feature = {
  room: "syncs",
  tables,
  endpoints: [createSync, listSyncs, getSync, changeSync, deleteSync, runSync, listSyncWindows],
  loops: [syncLoop, syncAlertsLoop],
  checks: [
    {
      name: "syncs: events are in one window each",
      invariant: 13,
      compares: "facts",
      countDifferences: countGapsAcrossProjects,
    },
    {
      name: "syncs: windows add up to their files",
      invariant: 13,
      compares: "facts",
      countDifferences: countMissumsAcrossProjects,
    },
  ],
  metrics: [syncMetrics],
  commandGroups: { sync: "lists as files in a folder or a bucket, on a schedule" },
  commands: syncCommands,
  tags: { Syncs: "Lists as files in a folder or a bucket, written on a schedule: for a warehouse." },
};

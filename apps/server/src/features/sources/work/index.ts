import type { Feature } from "../../../domain/feature.ts";
import { plug } from "../../../platform/runtime.ts";
import { sourceLooked } from "../registry/public.ts";
import {
  countOtherDeclarationsAcrossProjects,
  countStrayLeasesAcrossProjects,
  countUnplannedCommitsAcrossProjects,
} from "./check-store.ts";
import { claimRef } from "./claim-ref.ts";
import { trackHeads } from "./heads.ts";
import { listDueRefs } from "./list-due-refs.ts";
import { reconcileRef } from "./reconcile-ref.ts";
import { draftSettingGroup } from "./settings.pure.ts";
import { tables } from "./tables.pure.ts";

/** Drafting campaigns from what a repository brings, by agents that work under a lease. */
export const sourceWork: Feature = {
  room: "sources/work",
  tables,
  endpoints: [listDueRefs, claimRef, reconcileRef],
  settings: [draftSettingGroup],
  plugs: [plug(sourceLooked, trackHeads)],
  checks: [
    {
      name: "source work: each commit of finished work was drafted or skipped",
      invariant: 10,
      compares: "facts",
      countDifferences: countUnplannedCommitsAcrossProjects,
    },
    {
      name: "source work: a draft announces what commits brought to it",
      invariant: 10,
      compares: "facts",
      countDifferences: countOtherDeclarationsAcrossProjects,
    },
    {
      name: "source work: each lease begins where its ref stands",
      invariant: 10,
      compares: "facts",
      countDifferences: countStrayLeasesAcrossProjects,
    },
  ],
  tags: {
    "Source work":
      "Drafting campaigns from what a repository brings, under a lease. On a managed deployment only.",
  },
};

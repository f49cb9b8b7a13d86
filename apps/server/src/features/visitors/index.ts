import type { Feature } from "../../domain/feature.ts";
import { plug } from "../../platform/runtime.ts";
import { visitorMerging } from "../users/identities/public.ts";
import { countHalfMergedAcrossProjects, countLeftBehindAcrossProjects } from "./check-store.ts";
import { forgetVisitorsLoop } from "./forget-loop.ts";
import { mergeVisitor } from "./merge-visitor.ts";
import { moveEventsLoop } from "./move-loop.ts";

export const visitors: Feature = {
  room: "visitors",
  plugs: [plug(visitorMerging, mergeVisitor)],
  loops: [moveEventsLoop, forgetVisitorsLoop],
  checks: [
    {
      name: "visitors: nothing is left of one who became a user, but deliveries that are counted",
      invariant: 12,
      compares: "facts",
      countDifferences: countHalfMergedAcrossProjects,
    },
    {
      name: "visitors: what one left, the user had already",
      invariant: 12,
      compares: "facts",
      countDifferences: countLeftBehindAcrossProjects,
    },
  ],
};

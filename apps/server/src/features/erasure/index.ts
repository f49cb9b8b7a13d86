import type { Feature } from "../../platform/feature.ts";
import { countHalfErasedAcrossProjects } from "./check-store.ts";
import { eraseEventsLoop } from "./erase-events.ts";
import { eraseUser } from "./erase-user.ts";

export const erasure: Feature = {
  endpoints: [eraseUser],
  loops: [eraseEventsLoop],
  checks: [
    {
      name: "erased users: nothing is left that tells who they were",
      invariant: 9,
      compares: "facts",
      countDifferences: countHalfErasedAcrossProjects,
    },
  ],
};

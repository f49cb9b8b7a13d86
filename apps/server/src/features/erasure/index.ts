import type { Feature } from "../../domain/feature.ts";
import { countHalfErasedAcrossProjects } from "./check-store.ts";
import { eraseEventsLoop } from "./erase-events.ts";
import { eraseUser } from "./erase-user.ts";
import { tables } from "./tables.pure.ts";

export const erasure: Feature = {
  room: "erasure",
  tables,
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

import type { Feature } from "../../platform/feature.ts";
import { eraseUser } from "./erase-user.ts";
import { countHalfErasedAcrossProjects } from "./store.ts";

export const erasure: Feature = {
  endpoints: [eraseUser],
  checks: [
    {
      name: "erased users: nothing is left that tells who they were",
      countDifferences: countHalfErasedAcrossProjects,
    },
  ],
};

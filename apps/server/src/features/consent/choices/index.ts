import type { Feature } from "../../../domain/feature.ts";
import { countChoiceDifferencesAcrossProjects } from "./check-store.ts";
import { getUserSubscriptions } from "./get-user-subscriptions.ts";
import { listConsents } from "./list-consents.ts";
import { putUserSubscriptions } from "./put-user-subscriptions.ts";
import { tables } from "./tables.pure.ts";

/** What readers chose of topics, by address for email and by user for pushes, and the log of it. */
export const choices: Feature = {
  room: "consent/choices",
  tables,
  endpoints: [getUserSubscriptions, putUserSubscriptions, listConsents],
  checks: [
    {
      name: "consent: what readers chose of topics is what the log ends with",
      invariant: 5,
      compares: "facts",
      countDifferences: countChoiceDifferencesAcrossProjects,
    },
  ],
};

import type { Feature } from "../../../domain/feature.ts";
import { bootstrapInstallation } from "./bootstrap-installation.ts";
import {
  countMisplacedInstallationsAcrossProjects,
  countStrayAcknowledgementsAcrossProjects,
  countStrayBindingsAcrossProjects,
  countStrayEndedTokensAcrossProjects,
  countStrayTokensAcrossProjects,
} from "./check-store.ts";
import { getInstallation } from "./get-installation.ts";
import { listInstallations } from "./list-installations.ts";
import { recordInstallationActivity } from "./record-installation-activity.ts";
import { setInstallationBinding } from "./set-installation-binding.ts";
import { setInstallationFacts } from "./set-installation-facts.ts";
import { tables } from "./tables.pure.ts";
import { bringTokensBackLoop } from "./tokens/bring-tokens-back.ts";
import { setInstallationToken } from "./tokens/set-installation-token.ts";

export const devices: Feature = {
  room: "users/devices",
  tables,
  endpoints: [
    bootstrapInstallation,
    getInstallation,
    setInstallationBinding,
    setInstallationFacts,
    setInstallationToken,
    recordInstallationActivity,
    listInstallations,
  ],
  loops: [bringTokensBackLoop],
  checks: [
    {
      name: "installations: each has the key of its id",
      invariant: 1,
      compares: "facts",
      countDifferences: countMisplacedInstallationsAcrossProjects,
    },
    {
      name: "installations: every bound one has its user",
      invariant: 7,
      compares: "facts",
      countDifferences: countStrayBindingsAcrossProjects,
    },
    {
      name: "installations: every token is that of the installation that has it",
      invariant: 7,
      compares: "facts",
      countDifferences: countStrayTokensAcrossProjects,
    },
    {
      name: "installations: every ended token is the last one of an installation that has none",
      invariant: 7,
      compares: "facts",
      countDifferences: countStrayEndedTokensAcrossProjects,
    },
    {
      name: "installations: the latest acknowledgements, and no others, are kept",
      invariant: 7,
      compares: "facts",
      countDifferences: countStrayAcknowledgementsAcrossProjects,
    },
  ],
  tags: { Installations: "Copies of your app on devices, which say themselves what may be sent to them." },
};

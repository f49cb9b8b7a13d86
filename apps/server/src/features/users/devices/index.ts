import type { Feature } from "../../../platform/feature.ts";
import { bootstrapInstallation } from "./bootstrap-installation.ts";
import {
  countMisplacedInstallationsAcrossProjects,
  countStrayAcknowledgementsAcrossProjects,
  countStrayBindingsAcrossProjects,
  countStrayTokensAcrossProjects,
} from "./check-store.ts";
import { getInstallation } from "./get-installation.ts";
import { listInstallations } from "./list-installations.ts";
import { recordInstallationActivity } from "./record-installation-activity.ts";
import { setInstallationBinding } from "./set-installation-binding.ts";
import { setInstallationFacts } from "./set-installation-facts.ts";
import { setInstallationToken } from "./set-installation-token.ts";

export const installations: Feature = {
  endpoints: [
    bootstrapInstallation,
    getInstallation,
    setInstallationBinding,
    setInstallationFacts,
    setInstallationToken,
    recordInstallationActivity,
    listInstallations,
  ],
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
      name: "installations: the latest acknowledgements, and no others, are kept",
      invariant: 7,
      compares: "facts",
      countDifferences: countStrayAcknowledgementsAcrossProjects,
    },
  ],
};

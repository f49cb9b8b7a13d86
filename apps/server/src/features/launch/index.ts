import type { Feature } from "../../platform/feature.ts";
import { plug } from "../../platform/runtime.ts";
import { coverageGate, recordLaunch } from "../campaigns/authoring/public.ts";
import { sourceLooked } from "../sources/registry/public.ts";
import {
  countStrayCoverageAcrossProjects,
  countUnfoundedLaunchesAcrossProjects,
  countUnfoundedWarningsAcrossProjects,
} from "./check-store.ts";
import { launchCommands } from "./commands/launch.ts";
import { coverageOf } from "./gate.ts";
import { getCampaignActivation } from "./get-campaign-activation.ts";
import { getLaunchPolicy } from "./get-launch-policy.ts";
import { getLaunchRules } from "./get-launch-rules.ts";
import { judgeLooked } from "./judge.ts";
import { launchLoop } from "./launch-loop.ts";
import { listAnnouncements } from "./list-announcements.ts";
import { overrideLaunch } from "./override-launch.ts";
import { writeLaunch } from "./receipt.ts";
import { setLaunchesPaused } from "./set-launches-paused.ts";
import { updateCampaignActivation } from "./update-campaign-activation.ts";
import { updateLaunchPolicy } from "./update-launch-policy.ts";

export const launch: Feature = {
  endpoints: [
    getLaunchPolicy,
    updateLaunchPolicy,
    getCampaignActivation,
    updateCampaignActivation,
    listAnnouncements,
    getLaunchRules,
    overrideLaunch,
    setLaunchesPaused,
  ],
  loops: [launchLoop],
  plugs: [plug(coverageGate, coverageOf), plug(recordLaunch, writeLaunch), plug(sourceLooked, judgeLooked)],
  commands: launchCommands,
  checks: [
    {
      name: "launches: each by itself has its run, its evidence, and a person who allowed it",
      invariant: 10,
      compares: "facts",
      countDifferences: countUnfoundedLaunchesAcrossProjects,
    },
    {
      name: "launches: coverage is of declared changes where their source goes",
      invariant: 10,
      compares: "facts",
      countDifferences: countStrayCoverageAcrossProjects,
    },
    {
      name: "launches: each warning has its run",
      invariant: 10,
      compares: "facts",
      countDifferences: countUnfoundedWarningsAcrossProjects,
    },
  ],
};

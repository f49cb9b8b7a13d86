import type { Feature } from "../../domain/feature.ts";
import { plug } from "../../platform/runtime.ts";
import { coverageGate, recordLaunch } from "../campaigns/authoring/public.ts";
import { sourceLooked } from "../sources/registry/public.ts";
import { getCampaignActivation } from "./activation/get-campaign-activation.ts";
import { overrideLaunch } from "./activation/override-launch.ts";
import { updateCampaignActivation } from "./activation/update-campaign-activation.ts";
import { listAnnouncements } from "./announcements/list-announcements.ts";
import {
  countStrayCoverageAcrossProjects,
  countUnfoundedLaunchesAcrossProjects,
  countUnfoundedWarningsAcrossProjects,
} from "./check-store.ts";
import { launchCommands } from "./commands/launch.ts";
import { coverageOf } from "./judging/gate.ts";
import { judgeLooked } from "./judging/judge.ts";
import { launchLoop } from "./judging/launch-loop.ts";
import { writeLaunch } from "./judging/receipt.ts";
import { getLaunchPolicy } from "./policy/get-launch-policy.ts";
import { getLaunchRules } from "./policy/get-launch-rules.ts";
import { setLaunchesPaused } from "./policy/set-launches-paused.ts";
import { updateLaunchPolicy } from "./policy/update-launch-policy.ts";
import { tables } from "./tables.pure.ts";

export const launch: Feature = {
  room: "launch",
  tables,
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
  commandGroups: {
    launch: "launches of campaigns: pause those that happen by themselves, launch one by hand",
  },
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
  tags: { Launches: "Campaigns that wait for a change of code, and launch by themselves once it is live." },
};

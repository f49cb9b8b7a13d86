import type { Feature } from "../../../domain/feature.ts";
import { plug } from "../../../platform/runtime.ts";
import { launchGates } from "../../campaigns/authoring/public.ts";
import {
  countBrokenPlansAcrossProjects,
  countLedgerDifferencesAcrossProjects,
  countPlanDifferencesAcrossProjects,
  countResubmissionsAcrossProjects,
  countStrayRecipientsAcrossProjects,
  countUndefinedTargetsAcrossProjects,
} from "./check-store.ts";
import { dispatchCampaignPush } from "./inspect/dispatch-campaign-push.ts";
import { getCampaignPush } from "./inspect/get-campaign-push.ts";
import { getInstallationStory } from "./inspect/get-installation-story.ts";
import { getPushStanding } from "./inspect/get-push-standing.ts";
import { getPushTest } from "./inspect/get-push-test.ts";
import { sendPushTest } from "./inspect/send-push-test.ts";
import { pushGate } from "./launch-gate.ts";
import { pushMetrics, pushOutcomes } from "./metrics.ts";
import { planLoop } from "./plan/plan.ts";
import { pushChannel } from "./send/channel.ts";
import { closeLoop } from "./send/close.ts";
import { releaseLoop } from "./send/release.ts";
import { tables } from "./tables.pure.ts";

export const push: Feature = {
  room: "push/sending",
  tables,
  endpoints: [
    dispatchCampaignPush,
    getCampaignPush,
    sendPushTest,
    getPushTest,
    getPushStanding,
    getInstallationStory,
  ],
  loops: [pushChannel.reapLoop, planLoop, releaseLoop, pushChannel.sendLoop, closeLoop],
  plugs: [plug(launchGates, pushGate)],
  metrics: [pushMetrics, pushOutcomes],
  checks: [
    {
      name: "push: every delivery has its recipient and devices, and all say the same",
      invariant: 6,
      compares: "facts",
      countDifferences: countPlanDifferencesAcrossProjects,
    },
    {
      name: "push: what devices count equals their targets, attempts and outcomes",
      invariant: 6,
      compares: "derived",
      countDifferences: countLedgerDifferencesAcrossProjects,
    },
    {
      name: "push: nothing that was accepted is attempted again",
      invariant: 6,
      compares: "facts",
      countDifferences: countResubmissionsAcrossProjects,
    },
    {
      name: "push: who has devices is active, and nobody else",
      invariant: 6,
      compares: "facts",
      countDifferences: countStrayRecipientsAcrossProjects,
    },
    {
      name: "push: each target has the definition of what it says",
      invariant: 6,
      compares: "facts",
      countDifferences: countUndefinedTargetsAcrossProjects,
    },
    {
      name: "push: each plan stands somewhere in its audience, and what was planned has one",
      invariant: 6,
      compares: "facts",
      countDifferences: countBrokenPlansAcrossProjects,
    },
  ],
  tags: { Push: "Push campaigns: credentials, sending, tests, and what devices said." },
};

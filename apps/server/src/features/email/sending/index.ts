import type { Feature } from "../../../domain/feature.ts";
import { plug } from "../../../platform/runtime.ts";
import { launchGates, messageRemarks } from "../../campaigns/authoring/public.ts";
import { addressees } from "../../users/profiles/public.ts";
import { findAddressees } from "./addressees-store.ts";
import {
  countAddressDifferencesAcrossProjects,
  countBrokenPlansAcrossProjects,
  countCappedDifferencesAcrossProjects,
  countInventedAcceptancesAcrossProjects,
  countLedgerDifferencesAcrossProjects,
  countSendDifferencesAcrossProjects,
} from "./check-store.ts";
import { unknownCommands } from "./commands/unknown.ts";
import { getCampaignEmail } from "./get-campaign-email.ts";
import { getEmailHealth } from "./get-email-health.ts";
import { emailGate } from "./launch-gate.ts";
import { listUnreadAddresses } from "./list-unread-addresses.ts";
import { mailRemarks } from "./mail-remarks.ts";
import { emailMetrics, emailOutcomes } from "./metrics.ts";
import { planLoop } from "./plan/plan.ts";
import { emailChannel } from "./send/channel.ts";
import { closeLoop } from "./send/close.ts";
import { hastenLoop } from "./send/hasten.ts";
import { releaseLoop } from "./send/release.ts";
import { sendTestEmail } from "./send-test-email.ts";
import { checkEmailSender } from "./sender/check-email-sender.ts";
import { getEmailSender } from "./sender/get-email-sender.ts";
import { prepareEmailSender } from "./sender/prepare-email-sender.ts";
import { renewSenderKey } from "./sender/renew-sender-key.ts";
import { testEmailSender } from "./sender/test-email-sender.ts";
import { tables } from "./tables.pure.ts";
import { decideUnknownSends } from "./unknown/decide-unknown-sends.ts";
import { listUnknownSends } from "./unknown/list-unknown-sends.ts";

export const email: Feature = {
  room: "email/sending",
  tables,
  commands: [unknownCommands],
  endpoints: [
    getCampaignEmail,
    sendTestEmail,
    getEmailHealth,
    listUnreadAddresses,
    getEmailSender,
    prepareEmailSender,
    renewSenderKey,
    checkEmailSender,
    testEmailSender,
    listUnknownSends,
    decideUnknownSends,
  ],
  loops: [emailChannel.reapLoop, planLoop, hastenLoop, releaseLoop, closeLoop, emailChannel.sendLoop],
  plugs: [plug(launchGates, emailGate), plug(messageRemarks, mailRemarks), plug(addressees, findAddressees)],
  metrics: [emailMetrics, emailOutcomes],
  checks: [
    {
      name: "email: every delivery has its send, and both say the same",
      invariant: 5,
      compares: "facts",
      countDifferences: countSendDifferencesAcrossProjects,
    },
    {
      name: "email: attempts and outcomes are all written down",
      invariant: 5,
      compares: "facts",
      countDifferences: countLedgerDifferencesAcrossProjects,
    },
    {
      name: "email: addresses count what is on its way",
      invariant: 5,
      compares: "derived",
      countDifferences: countAddressDifferencesAcrossProjects,
    },
    {
      name: "email: capped deliveries by month add up",
      invariant: 2,
      compares: "derived",
      countDifferences: countCappedDifferencesAcrossProjects,
    },
    {
      name: "email: addresses remember only what was taken for them",
      invariant: 5,
      compares: "derived",
      countDifferences: countInventedAcceptancesAcrossProjects,
    },
    {
      name: "email: each plan stands somewhere in its audience, and what was planned has one",
      invariant: 5,
      compares: "facts",
      countDifferences: countBrokenPlansAcrossProjects,
    },
  ],
  tags: { Email: "Email campaigns: progress and tests." },
};

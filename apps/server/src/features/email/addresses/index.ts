import type { Feature } from "../../../domain/feature.ts";
import { allowEmailAddress } from "./allow-email-address.ts";
import {
  countHalfStopsAcrossProjects,
  countMisplacedAddressesAcrossProjects,
  countSuppressionDifferencesAcrossProjects,
} from "./check-store.ts";
import { allowCommand, suppressCommand, suppressionCommands } from "./commands/suppressions.ts";
import { getUserMail } from "./get-user-mail.ts";
import { listSuppressedAddresses } from "./list-suppressed-addresses.ts";
import { listSuppressionDecisions } from "./list-suppression-decisions.ts";
import { suppressEmailAddress } from "./suppress-email-address.ts";
import { tables } from "./tables.pure.ts";

export const addresses: Feature = {
  room: "email/addresses",
  tables,
  commands: [suppressionCommands, suppressCommand, allowCommand],
  endpoints: [
    listSuppressedAddresses,
    listSuppressionDecisions,
    suppressEmailAddress,
    allowEmailAddress,
    getUserMail,
  ],
  checks: [
    {
      name: "addresses: each has the key of its address",
      invariant: 1,
      compares: "facts",
      countDifferences: countMisplacedAddressesAcrossProjects,
    },
    {
      name: "addresses: whoever gets no mail has a reason, and what people decided last stands",
      invariant: 5,
      compares: "facts",
      countDifferences: countSuppressionDifferencesAcrossProjects,
    },
    {
      name: "addresses: one that bounced, or that people stopped, gets neither campaigns nor receipts",
      invariant: 5,
      compares: "facts",
      countDifferences: countHalfStopsAcrossProjects,
    },
  ],
};

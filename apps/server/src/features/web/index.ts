import type { Feature } from "../../domain/feature.ts";
import { countOrphanReceiptsAcrossProjects } from "./check-store.ts";
import { getMessages } from "./get-messages.ts";
import { pushPageFile, pushWorkerFile, sdkFile, showFile } from "./sdk-file.ts";
import { sendDeliveryFeedback } from "./send-delivery-feedback.ts";
import { tables } from "./tables.pure.ts";

export const web: Feature = {
  room: "web",
  tables,
  endpoints: [getMessages, sendDeliveryFeedback],
  checks: [
    {
      name: "feedback: what was acknowledged, its delivery has",
      invariant: 3,
      compares: "facts",
      countDifferences: countOrphanReceiptsAcrossProjects,
    },
  ],
  files: [sdkFile, showFile, pushPageFile, pushWorkerFile],
};

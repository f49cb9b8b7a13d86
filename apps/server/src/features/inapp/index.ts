import type { Feature } from "../../platform/feature.ts";
import { countOrphanReceiptsAcrossProjects } from "./erase-store.ts";
import { getMessages } from "./get-messages.ts";
import { sdkFile } from "./sdk-file.ts";
import { sendDeliveryFeedback } from "./send-delivery-feedback.ts";

export const inapp: Feature = {
  endpoints: [getMessages, sendDeliveryFeedback],
  checks: [
    {
      name: "feedback: every receipt has its delivery",
      countDifferences: countOrphanReceiptsAcrossProjects,
    },
  ],
  files: [sdkFile],
};

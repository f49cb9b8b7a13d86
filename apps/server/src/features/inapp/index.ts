import type { Feature } from "../../platform/feature.ts";
import { getMessages } from "./get-messages.ts";
import { sdkFile } from "./sdk-file.ts";
import { sendDeliveryFeedback } from "./send-delivery-feedback.ts";

export const inapp: Feature = { endpoints: [getMessages, sendDeliveryFeedback], files: [sdkFile] };

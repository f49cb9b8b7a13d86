import type { Feature } from "../../../platform/feature.ts";
import { mediaFile } from "./file.ts";
import { uploadCampaignMedia } from "./upload-campaign-media.ts";

export const media: Feature = { endpoints: [uploadCampaignMedia], files: [mediaFile] };

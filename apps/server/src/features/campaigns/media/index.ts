import type { Feature } from "../../../domain/feature.ts";
import { mediaFile } from "./file.ts";
import { tables } from "./tables.pure.ts";
import { uploadCampaignMedia } from "./upload-campaign-media.ts";

export const media: Feature = {
  room: "campaigns/media",
  tables,
  endpoints: [uploadCampaignMedia],
  files: [mediaFile],
};

import { z } from "zod";
import { endpoint, KIB } from "../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../platform/http/contract/errors.ts";
import { keepImage, sniff } from "./image.ts";
import { MAX_MEDIA_BYTES, Media } from "./schema.ts";

const MULTIPART_OVERHEAD = 16 * KIB;

export const uploadCampaignMedia = endpoint(
  {
    id: "uploadCampaignMedia",
    method: "POST",
    path: "/api/v1/campaign-media",
    audit: "uploaded an image",
    tag: "Campaigns",
    summary: "Upload an image for a campaign",
    description:
      "PNG, JPEG, WebP or GIF, at most 4 MiB and 4096 by 4096 pixels. The same bytes get the same address.",
    keys: ["secret"],
    people: "editor",
    reachesUsers: "An image has the address of its digest, and replaces none.",
    budget: "media",
    tool: {},
    bodyLimit: MAX_MEDIA_BYTES + MULTIPART_OVERHEAD,
    upload: { field: "file", maxBytes: MAX_MEDIA_BYTES },
    status: 201,
    result: z.object({ media: Media.describe("An image.") }),
  },
  async (ctx, { file }) => {
    if (file === null || file.bytes.length === 0)
      throw new ApiError("invalid_request", "file must not be empty");
    const { contentType } = sniff(file.bytes);
    if (file.contentType !== contentType) {
      throw new ApiError("invalid_request", `file is ${contentType} but was sent as ${file.contentType}`);
    }
    return { media: await keepImage(ctx, file.bytes) };
  },
);

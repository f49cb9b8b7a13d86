import { hash } from "node:crypto";
import { imageSize } from "image-size";
import { z } from "zod";
import { endpoint, KIB } from "../../platform/http/endpoint.ts";
import { ApiError } from "../../platform/http/errors.ts";
import { mediaPath } from "./rules.ts";
import { MAX_MEDIA_BYTES, MAX_MEDIA_PIXELS, Media, type MediaType } from "./schema.ts";
import { insertMedia } from "./store.ts";

const BY_SNIFFED: Readonly<Record<string, MediaType>> = {
  png: "image/png",
  jpg: "image/jpeg",
  webp: "image/webp",
  gif: "image/gif",
};
const MULTIPART_OVERHEAD = 16 * KIB;

/** What the bytes say they are; the claim of the client and the name of the file count for nothing. */
function sniff(bytes: Buffer): { contentType: MediaType; width: number; height: number } {
  const refused = new ApiError("invalid_request", "file must be a PNG, JPEG, WebP or GIF image");
  let size: ReturnType<typeof imageSize>;
  try {
    size = imageSize(bytes);
  } catch {
    throw refused;
  }
  const contentType = BY_SNIFFED[size.type ?? ""];
  if (contentType === undefined || size.width < 1 || size.height < 1) throw refused;
  return { contentType, width: size.width, height: size.height };
}

export const uploadCampaignMedia = endpoint(
  {
    id: "uploadCampaignMedia",
    method: "POST",
    path: "/api/v1/campaign-media",
    tag: "Campaigns",
    summary: "Upload an image for a campaign",
    description:
      "PNG, JPEG, WebP or GIF, at most 4 MiB and 4096 by 4096 pixels. The same bytes get the same address.",
    keys: ["secret"],
    budget: "media",
    bodyLimit: MAX_MEDIA_BYTES + MULTIPART_OVERHEAD,
    upload: { field: "file", maxBytes: MAX_MEDIA_BYTES },
    status: 201,
    result: z.object({ media: Media }),
  },
  async (ctx, { file }) => {
    if (file === null || file.bytes.length === 0)
      throw new ApiError("invalid_request", "file must not be empty");
    const { contentType, width, height } = sniff(file.bytes);
    if (file.contentType !== contentType) {
      throw new ApiError("invalid_request", `file is ${contentType} but was sent as ${file.contentType}`);
    }
    if (width > MAX_MEDIA_PIXELS || height > MAX_MEDIA_PIXELS) {
      throw new ApiError(
        "invalid_request",
        `file must be at most ${MAX_MEDIA_PIXELS} by ${MAX_MEDIA_PIXELS} pixels`,
      );
    }
    const digest = hash("sha256", file.bytes);
    await insertMedia(ctx.db, ctx.projectId, {
      digest,
      contentType,
      width,
      height,
      bytes: file.bytes,
      createdAt: ctx.now,
    });
    const url = ctx.app.publicUrl() + mediaPath(ctx.projectId, digest, contentType);
    return { media: { url, contentType, width, height, sizeBytes: file.bytes.length } };
  },
);

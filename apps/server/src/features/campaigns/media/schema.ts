import { z } from "zod";

/** File endings of the images that a campaign may show, by content type. */
export const EXTENSIONS = {
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/webp": "webp",
  "image/gif": "gif",
} as const;
export type MediaType = keyof typeof EXTENSIONS;

export const MAX_MEDIA_BYTES = 4 * 1_024 * 1_024;
export const MAX_MEDIA_PIXELS = 4_096;

/** An uploaded image: it never changes, and its address names its bytes. */
export const Media = z
  .object({
    url: z
      .url()
      .max(2_048)
      .meta({ description: "Address of the image.", example: "https://example.com/media/a.png" }),
    contentType: z
      .enum(["image/png", "image/jpeg", "image/webp", "image/gif"])
      .describe("Type of the image."),
    width: z.int().min(1).max(MAX_MEDIA_PIXELS).meta({ description: "Pixels.", example: 640 }),
    height: z.int().min(1).max(MAX_MEDIA_PIXELS).meta({ description: "Pixels.", example: 360 }),
    sizeBytes: z.int().min(1).max(MAX_MEDIA_BYTES).meta({ description: "Bytes.", example: 48_211 }),
  })
  .meta({ id: "CampaignMedia" });
export type Media = z.infer<typeof Media>;

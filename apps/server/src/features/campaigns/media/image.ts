import { hash } from "node:crypto";
import { imageSize } from "image-size";
import type { Ctx } from "../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../platform/http/contract/errors.ts";
import { mediaPath } from "./rules.ts";
import { MAX_MEDIA_PIXELS, type Media, type MediaType } from "./schema.ts";
import { countMedia, insertMedia } from "./store.ts";

const BY_SNIFFED: Readonly<Record<string, MediaType>> = {
  png: "image/png",
  jpg: "image/jpeg",
  webp: "image/webp",
  gif: "image/gif",
};

/** Type and size of an image, from its bytes alone: the client's content type and the file name are ignored. */
export function sniff(bytes: Buffer): { contentType: MediaType; width: number; height: number } {
  const refused = new ApiError("invalid_request", "file must be a PNG, JPEG, WebP or GIF image");
  let size: ReturnType<typeof imageSize>;
  try {
    // A copy of its own: the library reads on behind the end of a buffer that shares its memory with others.
    size = imageSize(new Uint8Array(bytes));
  } catch {
    throw refused;
  }
  const contentType = BY_SNIFFED[size.type ?? ""];
  if (contentType === undefined || size.width < 1 || size.height < 1) throw refused;
  return { contentType, width: size.width, height: size.height };
}

/** Stores an image under its digest; the same bytes are the same image. */
export async function keepImage(ctx: Ctx, bytes: Buffer): Promise<Media> {
  const { contentType, width, height } = sniff(bytes);
  if (width > MAX_MEDIA_PIXELS || height > MAX_MEDIA_PIXELS) {
    throw new ApiError(
      "invalid_request",
      `file must be at most ${MAX_MEDIA_PIXELS} by ${MAX_MEDIA_PIXELS} pixels`,
    );
  }
  const digest = hash("sha256", bytes);
  const { projectMediaBytes: most } = ctx.app.config.limits;
  const row = { digest, contentType, width, height, bytes, createdAt: ctx.now };
  const isNew = await insertMedia(ctx.db, ctx.projectId, row, most);
  if (!isNew && (await countMedia(ctx.db, ctx.projectId, [digest])) === 0)
    throw new ApiError(
      "invalid_request",
      `file is one too many: the images of a project come to at most ${most} bytes (projectMediaBytes)`,
    );
  const url = ctx.app.publicUrl() + mediaPath(ctx.projectId, digest, contentType);
  return { url, contentType, width, height, sizeBytes: bytes.length };
}

import { EXTENSIONS, type MediaType } from "./schema.ts";

/** Where a project's image is served from, under the public origin. */
export const mediaPath = (projectId: string, digest: string, contentType: MediaType): string =>
  `/media/${projectId}/${digest}.${EXTENSIONS[contentType]}`;

/** The digest in the file name of an address (`<64 hex>.png`), or null. */
export function digestOfFile(file: string): string | null {
  const match = /^([0-9a-f]{64})\.(png|jpg|webp|gif)$/.exec(file);
  return match?.[1] ?? null;
}

/** The digest of a project's own image behind a URL, or null when the URL is anything else. */
export function ownMediaDigest(url: string, publicUrl: string, projectId: string): string | null {
  const prefix = `${publicUrl}/media/${projectId}/`;
  return url.startsWith(prefix) ? digestOfFile(url.slice(prefix.length)) : null;
}

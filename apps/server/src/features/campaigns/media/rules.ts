import { EXTENSIONS, type MediaType } from "./schema.ts";

/** Where a project's image is served from, under the public origin. */
export const mediaPath = (projectId: string, digest: string, contentType: MediaType): string =>
  `/media/${projectId}/${digest}.${EXTENSIONS[contentType]}`;

/** The digest in the file name of an address (`<64 hex>.png`), or null. */
export function digestOfFile(file: string): string | null {
  const match = /^([0-9a-f]{64})\.(png|jpg|webp|gif)$/.exec(file);
  return match?.[1] ?? null;
}

/** What a process without PUBLIC_URL calls itself: the address it listens on, an IP address or this machine. */
const LISTENING = /^http:\/\/(?:localhost|[\d.]+|\[[\da-f:]+\])(?::\d+)?(?=\/)/;

/**
 * The digest of a project's own image behind a URL, or null when the URL is anything else. Without a `publicUrl` every process names
 * images by the address it listens on itself, so that the address of another process is as good.
 */
export function ownMediaDigest(url: string, publicUrl: string | null, projectId: string): string | null {
  const origin = publicUrl ?? LISTENING.exec(url)?.[0] ?? null;
  const prefix = `${origin}/media/${projectId}/`;
  return origin !== null && url.startsWith(prefix) ? digestOfFile(url.slice(prefix.length)) : null;
}

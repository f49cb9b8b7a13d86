import { EXTENSIONS, type MediaType } from "./schema.ts";

/** The path of a project's image, under the public origin. */
export const mediaPath = (projectId: string, digest: string, contentType: MediaType): string =>
  `/media/${projectId}/${digest}.${EXTENSIONS[contentType]}`;

/** The digest in the file name of an address (`<64 hex>.png`), or null. */
export function digestOfFile(file: string): string | null {
  const match = /^([0-9a-f]{64})\.(png|jpg|webp|gif)$/.exec(file);
  return match?.[1] ?? null;
}

/** The origin of a process without PUBLIC_URL: the address that it listens on, which is an IP address or localhost. */
const LISTENING = /^http:\/\/(?:localhost|[\d.]+|\[[\da-f:]+\])(?::\d+)?(?=\/)/;

/**
 * The digest of a project's own image behind a URL, or null for any other URL. Without a `publicUrl` every process names images by the
 * address that it listens on, so addresses of other processes are accepted as well.
 */
export function ownMediaDigest(url: string, publicUrl: string | null, projectId: string): string | null {
  const origin = publicUrl ?? LISTENING.exec(url)?.[0] ?? null;
  const prefix = `${origin}/media/${projectId}/`;
  return origin !== null && url.startsWith(prefix) ? digestOfFile(url.slice(prefix.length)) : null;
}

import type { IncomingHttpHeaders } from "node:http";
import type { FastifyReply } from "fastify";
import { z } from "zod";
import { ApiError } from "./errors.ts";
import { userHash } from "./fields.ts";

/** What a project demands of those who ask with its public key. It is read with the key, and believed as long. */
export type Perimeter = {
  /** Whether pages of an origin, as browsers spell it, may ask; null where all may. */
  allowsOrigin: ((origin: string) => boolean) | null;
  /** Whether a hash is that of a user; null where nobody has to prove who they are. */
  provesUser: ((userId: string, userHash: string) => boolean) | null;
};

/** Whom a request speaks of, with the proof. Without a `userId` it cannot be proven; null is nobody, and needs no proof. */
export type UserClaim = { userId?: string | null | undefined; userHash?: string | undefined };

const NAME = "X-User-Hash";
/** Node.js spells the names of headers in lower case. */
const LOWER = NAME.toLowerCase();

/** The header that may say a user's hash instead of the request itself. */
export const userHashHeader = z.object({
  [NAME]: userHash.optional().describe("The same as userHash, for where addresses are logged."),
});

/**
 * Lets a request pass that proves its user, by a hash in the request or else in the header. A secret key is proof enough.
 * @throws ApiError unidentified when it is missing, or not that of the user
 */
export function requireProof(
  { keyKind, perimeter }: { keyKind: string; perimeter?: Perimeter },
  { userId, userHash: said }: UserClaim,
  headers: IncomingHttpHeaders,
): void {
  const provesUser = perimeter?.provesUser ?? null;
  if (provesUser === null || userId === null || keyKind !== "publishable") return;
  const given = said ?? headers[LOWER];
  if (userId === undefined || typeof given !== "string" || !provesUser(userId, given))
    throw new ApiError("unidentified");
}

const ALLOW_ORIGIN = "access-control-allow-origin";

/**
 * Tells the browser whether the page that asks may read the answer: each page where the project has no list, else those of the
 * list. Whoever sends no Origin is no page: an app, a server.
 * @throws ApiError forbidden for a page of another origin
 */
export function admitOrigin(
  reply: FastifyReply,
  perimeter: Perimeter | undefined,
  origin: string | undefined,
): void {
  const allowsOrigin = perimeter?.allowsOrigin ?? null;
  if (allowsOrigin === null) return;
  reply.removeHeader(ALLOW_ORIGIN).header("vary", "Origin");
  if (origin === undefined) return;
  if (!allowsOrigin(origin))
    throw new ApiError("forbidden", "Pages of this origin may not use this key (origins.allowed).");
  reply.header(ALLOW_ORIGIN, origin);
}

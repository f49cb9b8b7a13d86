import type { IncomingHttpHeaders } from "node:http";
import type { FastifyReply } from "fastify";
import { z } from "zod";
import { ApiError } from "../contract/errors.ts";
import { userHash } from "../contract/fields.ts";

/** What a project demands of requests with its publishable key. Read together with the key, and remembered as long. */
export type Perimeter = {
  /** Whether pages of an origin, as browsers spell it, may call the API; null where all may. */
  allowsOrigin: ((origin: string) => boolean) | null;
  /** Whether a hash is that of a user at an instant (epoch ms); null where the project has no identity secret. */
  provesUser: ((userId: string, userHash: string, now: number) => boolean) | null;
  /** Whether requests that name a user have to prove it. */
  requiresProof: boolean;
  /** Traits that only the secret key sets, and events that count only from it. */
  serverTraits: ReadonlySet<string>;
  serverEvents: ReadonlySet<string>;
};

/** The user that a request names, with the proof. Without a `userId` there is none to prove; null means no user, and needs no proof. */
export type UserClaim = { userId?: string | null | undefined; userHash?: string | undefined };

const NAME = "X-User-Hash";
/** Node.js spells the names of headers in lower case. */
const LOWER = NAME.toLowerCase();

/** The header that may carry a user's hash instead of the body or query. */
export const userHashHeader = z.object({
  [NAME]: userHash.optional().describe("The same as userHash, for where addresses are logged."),
});

type Asker = { keyKind: string; perimeter?: Perimeter };

/**
 * Whether a request proves its user, by a hash in the request or else in the header. A secret key is proof enough, a send key
 * is none: it speaks for no user.
 * @param now epoch ms: a hash may have an end
 */
export function isProven(
  { keyKind, perimeter }: Asker,
  { userId, userHash: ownHash }: UserClaim,
  headers: IncomingHttpHeaders,
  now: number,
): boolean {
  if (keyKind === "send") return false;
  if (keyKind !== "publishable") return true;
  const given = ownHash ?? headers[LOWER];
  if (typeof userId !== "string" || typeof given !== "string") return false;
  return perimeter?.provesUser?.(userId, given, now) ?? false;
}

/**
 * Refuses a request that does not prove its user, where the project demands it.
 * @throws ApiError unidentified when the hash is missing, or not that of the user
 */
export function requireProof(
  asker: Asker,
  claim: UserClaim,
  headers: IncomingHttpHeaders,
  now: number,
): void {
  if (asker.perimeter?.requiresProof !== true || claim.userId === null) return;
  if (!isProven(asker, claim, headers, now)) throw new ApiError("unidentified");
}

const ALLOW_ORIGIN = "access-control-allow-origin";

/**
 * Adds the headers that let the calling page read the answer: any page where the project has no list of origins, else those of the list.
 * A request without Origin comes from an app or a server, and passes.
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

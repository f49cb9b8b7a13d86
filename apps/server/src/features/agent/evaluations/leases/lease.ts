import { hash, randomBytes } from "node:crypto";
import { SECOND_MS } from "../../../../platform/time/clock.ts";
import { dueSql, isDue } from "../../../../platform/time/far-ahead.ts";
import { LEASE_SECONDS } from "../schema.ts";

/** The longest lease. */
const LONGEST_MS = LEASE_SECONDS.most * SECOND_MS;

/** `lease_` and 192 random bits as 32 characters. A claim replaces it, so of two who have one, at most one can write. */
export const newLeaseToken = (): string => `lease_${randomBytes(24).toString("base64url")}`;

/** What is stored in the place of a token. Tokens are random and cannot be guessed, so a plain hash suffices. */
export const leaseDigest = (token: string): Buffer => hash("sha256", token, "buffer");

type Lease = { leaseDigest: Buffer | null; leaseExpiresAt: number | null };

/** Whether an evaluation is leased now. */
export const isLeased = ({ leaseExpiresAt }: Lease, now: number): boolean =>
  leaseExpiresAt !== null && !isDue(leaseExpiresAt, now, LONGEST_MS);

/** SQL: whether a lease whose end is `expiresAt`, which may be null, is over or was never given. */
export const unleasedSql = (expiresAt: string, now: string): string =>
  `coalesce(${dueSql(expiresAt, now, LONGEST_MS)}, true)`;

/** Whether this token is the live lease of an evaluation. */
export const isLeaseOf = (evaluation: Lease | null, digest: Buffer, now: number): boolean =>
  evaluation?.leaseDigest != null && isLeased(evaluation, now) && evaluation.leaseDigest.equals(digest);

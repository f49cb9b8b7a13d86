import { hash, randomBytes } from "node:crypto";
import type { EvaluationRow } from "./store.ts";

/** `lease_` and 192 random bits as 32 characters. A claim replaces it, so of two who have one, at most one can write. */
export const newLeaseToken = (): string => `lease_${randomBytes(24).toString("base64url")}`;

/** What is stored in the place of a token. Tokens are random and cannot be guessed, so a plain hash suffices. */
export const leaseDigest = (token: string): Buffer => hash("sha256", token, "buffer");

type Lease = Pick<EvaluationRow, "leaseDigest" | "leaseExpiresAt">;

/** Whether an evaluation is leased now. */
export const isLeased = ({ leaseExpiresAt }: Lease, now: number): boolean =>
  leaseExpiresAt !== null && leaseExpiresAt > now;

/** Whether this token is the live lease of an evaluation. */
export const isLeaseOf = (evaluation: Lease | null, digest: Buffer, now: number): boolean =>
  evaluation?.leaseDigest != null && isLeased(evaluation, now) && evaluation.leaseDigest.equals(digest);

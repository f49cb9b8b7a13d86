import { hash, timingSafeEqual } from "node:crypto";
import { type InstallationRef, installationRef } from "../../../domain/ids.ts";
import type { Ctx } from "../../../platform/http/endpoint.ts";
import { ApiError } from "../../../platform/http/errors.ts";
import { findInstallation, type InstallationRow } from "./store.ts";

/**
 * What is stored of a capability. A plain hash is enough: it was drawn at random, from 2^256 values or more, so that there is
 * no list of likely ones to try, which is what a salt or a slow hash is against.
 */
export const verifierOf = (capability: string): Buffer => hash("sha256", capability, "buffer");

/** Whether a capability is the one that a verifier was made of, in a time that tells nothing of either. */
export const isVerified = (capability: string, verifier: Buffer): boolean =>
  timingSafeEqual(verifierOf(capability), verifier);

/** Stands in for an installation that is not there, so that looking takes as long. Nothing hashes to it that anyone knows. */
const NO_VERIFIER = Buffer.alloc(32);

export type Authenticated = { ref: InstallationRef; row: InstallationRow };

/**
 * The installation of this project that the capability belongs to.
 * @throws ApiError not_found, the same for an id that is not known and for a capability of another.
 */
export async function authenticateInstallation(
  { db, projectId }: Ctx,
  installationId: string,
  capability: string,
): Promise<Authenticated> {
  const ref = installationRef(projectId, installationId);
  const row = await findInstallation(db, projectId, ref);
  if (!isVerified(capability, row?.verifier ?? NO_VERIFIER) || row === null)
    throw new ApiError("not_found", "Installation not found");
  return { ref, row };
}

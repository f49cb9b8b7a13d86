import { hash, timingSafeEqual } from "node:crypto";
import { type InstallationRef, installationRef } from "../../../domain/ids.ts";
import type { Ctx } from "../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../platform/http/contract/errors.ts";
import { findInstallation, type InstallationWithToken } from "./store.ts";

/**
 * The hash of a capability, which is stored in its place. A plain hash is enough: a capability is random, one of at least 2^256 values, and
 * salts and slow hashes only protect secrets that can be guessed.
 */
export const verifierOf = (capability: string): Buffer => hash("sha256", capability, "buffer");

/** Whether a verifier was made from this capability; takes the same time whatever the two are. */
export const isVerified = (capability: string, verifier: Buffer): boolean =>
  timingSafeEqual(verifierOf(capability), verifier);

/** Compared where there is no such installation, so that the answer takes as long. No known text has this hash. */
const NO_VERIFIER = Buffer.alloc(32);

export type Authenticated = { ref: InstallationRef; row: InstallationWithToken };

/**
 * The installation of this project that the capability belongs to.
 * @throws ApiError not_found, the same for an unknown id as for the capability of another installation
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

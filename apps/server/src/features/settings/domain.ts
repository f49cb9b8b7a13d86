import { createPublicKey, generateKeyPair } from "node:crypto";
import { promisify } from "node:util";
import type { Db } from "../../platform/db/db.ts";
import { SealError, type Secrets } from "../../platform/secrets.ts";
import { changeSettings } from "./change.ts";
import { findDkimKey, insertDkimKey, type NewDkimKey, replaceDkimKey, verifyDkimKey } from "./dkim-store.ts";
import { readSettings, SettingError } from "./read.ts";
import { DKIM_SELECTOR } from "./records.pure.ts";
import { isSenderVerified, senderOf } from "./rules.ts";

/** The key with which mail of a domain is signed; `privateKey` is PKCS #8 in PEM. */
export type DkimKey = { domain: string; selector: string; privateKey: string };

/** A sender domain with its public key, which has to be published. */
export type SenderDomain = {
  domain: string;
  /** Base64 of the SubjectPublicKeyInfo. */
  publicKey: string;
  spfInclude: string | null;
  /** Whether DNS has shown this key and the domain may be sent from. */
  isVerified: boolean;
};

/** The place to which the sealed key of a domain is bound. */
export const sealedAs = (projectId: string, domain: string): string => `dkim ${projectId} ${domain}`;

const publicKeyOf = (privateKey: string): string =>
  createPublicKey(privateKey).export({ type: "spki", format: "der" }).toString("base64");

async function newKey(secrets: Secrets, projectId: string, domain: string, now: number): Promise<NewDkimKey> {
  const pair = await promisify(generateKeyPair)("rsa", { modulusLength: 2_048 });
  const privateKey = pair.privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  return {
    domain,
    sealedPrivateKey: secrets.seal(privateKey, sealedAs(projectId, domain)),
    publicKey: publicKeyOf(privateKey),
    createdAt: now,
  };
}

function opened(secrets: Secrets, projectId: string, domain: string, sealed: Buffer): string {
  try {
    return secrets.open(sealed, sealedAs(projectId, domain));
  } catch (cause) {
    if (!(cause instanceof SealError)) throw cause;
    const what = `The DKIM key of ${domain} cannot be opened: ${cause.message}`;
    throw new SettingError(`${what}. "tidings email domain --new-key" makes another`, { cause });
  }
}

/** The key of a domain once DNS has shown it, else null. @throws SettingError when it cannot be opened */
export async function readDkimKey(
  db: Db,
  secrets: Secrets,
  projectId: string,
  domain: string,
): Promise<DkimKey | null> {
  const row = await findDkimKey(db, projectId, domain);
  if (row === null || row.verifiedAt === null) return null;
  const privateKey = opened(secrets, projectId, domain, row.sealedPrivateKey);
  return { domain, selector: DKIM_SELECTOR, privateKey };
}

/**
 * The domain of `email.from` with its key, which is made on first use, or again for `renew`: then it has to be published
 * and verified anew. @throws SettingError while there is no sender, or when the key cannot be opened
 */
export async function prepareSenderDomain(
  db: Db,
  secrets: Secrets,
  projectId: string,
  { now, renew }: { now: number; renew: boolean },
): Promise<SenderDomain> {
  const settings = await readSettings(db, secrets, projectId);
  const domain = senderOf(settings)?.domain;
  if (domain === undefined)
    throw new SettingError("email.from is not set: its domain is what mail is signed for");
  if (renew) {
    const key = await newKey(secrets, projectId, domain, now);
    await replaceDkimKey(db, projectId, key);
  } else if ((await findDkimKey(db, projectId, domain)) === null) {
    const key = await newKey(secrets, projectId, domain, now);
    await insertDkimKey(db, projectId, key);
  }
  const row = await findDkimKey(db, projectId, domain);
  if (row === null) throw new Error("A key that was kept is not there.");
  // Computed from the private key, so that the published record belongs to the key that signs mail.
  const publicKey = publicKeyOf(opened(secrets, projectId, domain, row.sealedPrivateKey));
  const isVerified = row.verifiedAt !== null && isSenderVerified(settings);
  return { domain, publicKey, spfInclude: settings["email.spfInclude"], isVerified };
}

/** Marks that DNS shows the prepared records: mail may be sent from the domain. False when its key was replaced meanwhile. Needs a transaction. */
export async function markSenderDomainVerified(
  tx: Db,
  secrets: Secrets,
  projectId: string,
  { domain, publicKey }: SenderDomain,
  now: number,
): Promise<boolean> {
  if (!(await verifyDkimKey(tx, projectId, domain, publicKey, now))) return false;
  await changeSettings(tx, secrets, projectId, { "email.domainVerified": domain }, { by: "dns", now });
  return true;
}

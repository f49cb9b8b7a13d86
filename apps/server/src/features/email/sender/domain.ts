import { createPublicKey, generateKeyPair } from "node:crypto";
import { promisify } from "node:util";
import type { Db } from "../../../platform/db/db.ts";
import type { TxtAnswer } from "../../../platform/net/dns.ts";
import { SealError, type Secrets } from "../../../platform/secrets/secrets.ts";
import { SettingError } from "../../../platform/settings/setting.ts";
import { changeSettings, readSome } from "../../settings/public.ts";
import { findDkimKey, insertDkimKey, type NewDkimKey, replaceDkimKey, verifyDkimKey } from "./dkim-store.ts";
import {
  DKIM_SELECTOR,
  dkimRecord,
  type Judgement,
  judgeDkim,
  judgeSpf,
  spfRecord,
  type WantedRecord,
} from "./records.pure.ts";
import { emailSettings, isSenderVerified, senderOf } from "./settings.pure.ts";
import { emailSettingGroup } from "./settings.ts";

/** The key with which mail of a domain is signed; `privateKey` is PKCS #8 in PEM. */
export type DkimKey = { domain: string; selector: string; privateKey: string };

/** A sender domain with its public key, which has to be published. */
export type SenderDomain = {
  domain: string;
  /** Base64 of the SubjectPublicKeyInfo. */
  publicKey: string;
  spfInclude: string | null;
  /** When DNS showed this key last, epoch milliseconds: mail is signed with it from then on. Null before that. */
  seenAt: number | null;
  /** Whether mail may be sent from the domain: DNS has shown what it needs, or a person said so. */
  maySend: boolean;
  /** Whether DNS has shown this key and the domain may be sent from. */
  isVerified: boolean;
};

/** A record that a domain has to have, as DNS shows it. */
export type CheckedRecord = WantedRecord & Judgement;

/** The place to which the sealed key of a domain is bound. */
export const domainKeyBinding = (projectId: string, domain: string): string => `dkim ${projectId} ${domain}`;

const publicKeyOf = (privateKey: string): string =>
  createPublicKey(privateKey).export({ type: "spki", format: "der" }).toString("base64");

async function newKey(secrets: Secrets, projectId: string, domain: string, now: number): Promise<NewDkimKey> {
  const pair = await promisify(generateKeyPair)("rsa", { modulusLength: 2_048 });
  const privateKey = pair.privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  return {
    domain,
    sealedPrivateKey: secrets.seal(privateKey, domainKeyBinding(projectId, domain)),
    publicKey: publicKeyOf(privateKey),
    createdAt: now,
  };
}

function opened(secrets: Secrets, projectId: string, domain: string, sealed: Buffer): string {
  try {
    return secrets.open(sealed, domainKeyBinding(projectId, domain));
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

const domainSettings = (db: Db, projectId: string) =>
  readSome(db, projectId, emailSettings, ["email.from", "email.spfInclude", "email.domainVerified"]);

/**
 * The domain of `email.from` with its key; null while there is no sender, or no key of its domain.
 * @throws SettingError when a setting cannot be read, or the key cannot be opened
 */
export async function findSenderDomain(
  db: Db,
  secrets: Secrets,
  projectId: string,
): Promise<SenderDomain | null> {
  const settings = await domainSettings(db, projectId);
  const domain = senderOf(settings)?.domain;
  const row = domain === undefined ? null : await findDkimKey(db, projectId, domain);
  if (domain === undefined || row === null) return null;
  // Computed from the private key, so that the published record belongs to the key that signs mail.
  const publicKey = publicKeyOf(opened(secrets, projectId, domain, row.sealedPrivateKey));
  const [seenAt, maySend] = [row.verifiedAt, isSenderVerified(settings)];
  const isVerified = seenAt !== null && maySend;
  return { domain, publicKey, spfInclude: settings["email.spfInclude"], seenAt, maySend, isVerified };
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
  const domain = senderOf(await domainSettings(db, projectId))?.domain;
  if (domain === undefined)
    throw new SettingError("email.from is not set: its domain is what mail is signed for");
  if (renew) {
    const key = await newKey(secrets, projectId, domain, now);
    await replaceDkimKey(db, projectId, key);
  } else if ((await findDkimKey(db, projectId, domain)) === null) {
    const key = await newKey(secrets, projectId, domain, now);
    await insertDkimKey(db, projectId, key);
  }
  const sender = await findSenderDomain(db, secrets, projectId);
  if (sender === null) throw new Error("A key that was kept is not there.");
  return sender;
}

/** The records that belong into the DNS of a sender domain. */
export const wantedRecords = ({ domain, publicKey, spfInclude }: SenderDomain): WantedRecord[] => [
  dkimRecord(domain, publicKey),
  spfRecord(domain, spfInclude),
];

const judge = (wanted: WantedRecord, sender: SenderDomain, answer: TxtAnswer): CheckedRecord => {
  if ("failed" in answer)
    return { ...wanted, found: [], problem: `could not be asked for: ${answer.failed}` };
  const { texts } = answer;
  return {
    ...wanted,
    ...(wanted.purpose === "dkim" ? judgeDkim(texts, sender.publicKey) : judgeSpf(texts, sender.spfInclude)),
  };
};

/** Asks DNS for the records of a sender domain: what it shows, and what is wrong with each. */
export const checkSenderDomain = (
  sender: SenderDomain,
  lookup: (name: string) => Promise<TxtAnswer>,
): Promise<CheckedRecord[]> =>
  Promise.all(
    wantedRecords(sender).map(async (wanted) => {
      const answer = await lookup(wanted.name);
      return judge(wanted, sender, answer);
    }),
  );

/** Marks that DNS shows the prepared records: mail may be sent from the domain. False when its key was replaced meanwhile. Needs a transaction. */
export async function markSenderDomainVerified(
  tx: Db,
  secrets: Secrets,
  projectId: string,
  { domain, publicKey }: SenderDomain,
  now: number,
): Promise<boolean> {
  if (!(await verifyDkimKey(tx, projectId, domain, publicKey, now))) return false;
  const edit = { groups: [emailSettingGroup], by: "dns", now };
  await changeSettings(tx, secrets, projectId, { "email.domainVerified": domain }, edit);
  return true;
}

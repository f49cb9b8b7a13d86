import { text } from "node:stream/consumers";
import DKIM from "nodemailer/lib/dkim";

/** A key that a domain publishes at `<selector>._domainkey.<domain>`; `privateKey` is RSA, in PEM. */
export type DkimKey = { domain: string; selector: string; privateKey: string };

const SIGNED = [
  "From",
  "To",
  "Subject",
  "Date",
  "Message-ID",
  "MIME-Version",
  "Content-Type",
  "List-Unsubscribe",
  "List-Unsubscribe-Post",
  "Auto-Submitted",
].join(":");

/** The mail with a signature in front (RFC 6376, rsa-sha256, relaxed/relaxed). Throws where the key cannot sign. */
export async function signDkim(raw: Buffer, key: DkimKey): Promise<Buffer> {
  const signer = new DKIM({
    domainName: key.domain,
    keySelector: key.selector,
    privateKey: key.privateKey,
    headerFieldNames: SIGNED,
  });
  const signed = await text(signer.sign(raw));
  // A key that cannot sign leaves the mail as it was, without an error.
  if (!signed.startsWith("DKIM-Signature:")) throw new Error(`The DKIM key of ${key.domain} cannot sign.`);
  return Buffer.from(signed, "latin1");
}

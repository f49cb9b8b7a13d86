import { createHash, createSign } from "node:crypto";
import { domainToASCII } from "node:url";

/** A key that a domain publishes at `<selector>._domainkey.<domain>`; `privateKey` is RSA, in PEM. */
export type DkimKey = { domain: string; selector: string; privateKey: string };

/** These headers are signed where the mail has them. */
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
];
/** These are signed as absent a second time (RFC 6376, 8.15): an attacker cannot add another one, which mail programs might show. */
const ONCE_ONLY = ["From", "To", "Subject"];
const LINE = 72;

const nameOf = (field: string): string => field.slice(0, field.indexOf(":")).trim().toLowerCase();

/** A field in the relaxed form (RFC 6376, 3.4.2). */
const relaxedField = (field: string): string =>
  `${nameOf(field)}:${field
    .slice(field.indexOf(":") + 1)
    .replaceAll("\r\n", "")
    .replace(/[ \t]+/g, " ")
    .trim()}`;

/** A body in the relaxed form (RFC 6376, 3.4.4). */
const relaxedBody = (body: string): string => {
  const lines = body.split("\r\n").map((line) => line.replace(/[ \t]+/g, " ").replace(/ $/, ""));
  while (lines.at(-1) === "") lines.pop();
  return lines.length === 0 ? "" : `${lines.join("\r\n")}\r\n`;
};

/** The names that are signed, in the order in which their fields are hashed. Of several fields of one name, the last is hashed first. */
function signedOf(fields: readonly string[]): { names: string[]; hashed: string } {
  const left = fields.map((field) => ({ name: nameOf(field), field }));
  const isThere = (name: string): boolean => left.some((each) => each.name === name.toLowerCase());
  const names = [...SIGNED.filter(isThere), ...ONCE_ONLY];
  const hashed = names.map((name) => {
    const at = left.findLastIndex((each) => each.name === name.toLowerCase());
    const [found] = at < 0 ? [] : left.splice(at, 1);
    return found === undefined ? "" : `${relaxedField(found.field)}\r\n`;
  });
  return { names, hashed: hashed.join("") };
}

/** A long value, wrapped into lines of a header. */
const wrapped = (value: string): string => value.replace(new RegExp(`.{${LINE}}(?=.)`, "g"), "$&\r\n ");

function signWith({ domain, privateKey }: DkimKey, text: string): string {
  try {
    return createSign("RSA-SHA256").update(text, "latin1").sign(privateKey, "base64");
  } catch (cause) {
    throw new Error(`The DKIM key of ${domain} cannot sign.`, { cause });
  }
}

/**
 * The mail with a signature in front (RFC 6376, rsa-sha256, relaxed/relaxed). Throws where the key cannot sign. We do not use nodemailer's
 * signer: it names a field once only, so an attacker could add a second one.
 */
export async function signDkim(raw: Buffer, key: DkimKey): Promise<Buffer> {
  const mail = raw.toString("latin1");
  const end = mail.indexOf("\r\n\r\n");
  const { names, hashed } = signedOf(mail.slice(0, end).split(/\r\n(?![ \t])/));
  const bodyHash = createHash("sha256")
    .update(relaxedBody(mail.slice(end + 4)), "latin1")
    .digest("base64");
  const header = [
    "DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed;",
    `d=${domainToASCII(key.domain)}; s=${key.selector};`,
    `h=${names.join(":").replace(/(.{50}[^:]*:)(?=.)/g, "$1\r\n ")};`,
    `bh=${bodyHash};`,
    "b=",
  ].join("\r\n ");
  const signature = signWith(key, hashed + relaxedField(header));
  return Buffer.from(`${header}${wrapped(signature)}\r\n${mail}`, "latin1");
}

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/**
 * The bytes of a text in base64 (RFC 4648, 4), with its whole padding or without; line breaks are left out. Null for another text, and for one whose
 * last character has bits that belong to no byte: something of it is lost.
 */
export function decodeBase64(text: string): Buffer | null {
  const line = text.replace(/[\r\n]/g, "");
  if (!BASE64.test(line) || (line.endsWith("=") && line.length % 4 !== 0)) return null;
  const padding = line.indexOf("=");
  const digits = padding < 0 ? line.length : padding;
  const last = line.slice(digits - (digits % 4), digits);
  const isWhole = Buffer.from(last, "base64").toString("base64").startsWith(last);
  return isWhole ? Buffer.from(line, "base64") : null;
}

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** The bytes of a text in base64 (RFC 4648, 4), with its whole padding or without; line breaks are left out. Null for another text. */
export function decodeBase64(text: string): Buffer | null {
  const line = text.replace(/[\r\n]/g, "");
  if (!BASE64.test(line) || (line.endsWith("=") && line.length % 4 !== 0)) return null;
  return line.length % 4 === 1 ? null : Buffer.from(line, "base64");
}

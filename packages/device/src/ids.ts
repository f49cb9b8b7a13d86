const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** Bytes in base64url. Written out, because Hermes has no `btoa`. */
export function base64url(bytes: Uint8Array): string {
  let [text, bits, width] = ["", 0, 0];
  for (const byte of bytes) {
    bits = ((bits << 8) | byte) & 0xffff;
    width += 8;
    while (width >= 6) {
      width -= 6;
      text += ALPHABET[(bits >> width) & 63];
    }
  }
  return width > 0 ? text + ALPHABET[(bits << (6 - width)) & 63] : text;
}

const BACKSLASH = 0x5c;
const LOWER_U = 0x75;
const ESCAPE_BYTES = 6;

/** Bytes of UTF-8 for what an escape stands for; half of a surrogate pair counts as half of its character. */
function plainBytes(code: number): number {
  // Control characters have no other spelling in JSON.
  if (code < 0x20) return ESCAPE_BYTES;
  if (code === 0x22 || code === BACKSLASH) return 2;
  if (code < 0x80) return 1;
  return code < 0x800 || (code >= 0xd800 && code <= 0xdfff) ? 2 : 3;
}

/**
 * How many bytes a text of JSON takes with its characters written as UTF-8 in place of escapes such as `\u0441`. Many programs send all
 * that is not ASCII as escapes, which makes the same content up to three times as long.
 */
export function bytesWithoutEscapes(json: Buffer): number {
  let bytes = json.length;
  for (let at = json.indexOf(BACKSLASH); at >= 0; at = json.indexOf(BACKSLASH, at)) {
    const isLong = json[at + 1] === LOWER_U;
    const code = isLong
      ? Number.parseInt(json.toString("latin1", at + 2, at + ESCAPE_BYTES), 16)
      : Number.NaN;
    // What is no escape is refused as no JSON later on.
    if (Number.isNaN(code)) at += 2;
    else {
      bytes -= ESCAPE_BYTES - plainBytes(code);
      at += ESCAPE_BYTES;
    }
  }
  return bytes;
}

import { isUtf8 } from "node:buffer";
import { BYTE_ORDER_MARK, withoutMark } from "./byte-order-mark.ts";

const MARK_BYTES = Buffer.from(BYTE_ORDER_MARK);
/** The halves of the mark in UTF-16. */
const [FE, FF] = [0xfe, 0xff];

/**
 * Whether bytes begin as UTF-16 or UTF-32 do: with their mark, or with the NUL beside a first character of ASCII. The mark of UTF-16 comes
 * in both orders of its bytes, and that of UTF-32 which begins with the highest byte has two NULs before it.
 */
export function isWide(bytes: Buffer): boolean {
  const first = bytes[0];
  const second = bytes[1];
  if ((first === FF && second === FE) || (first === FE && second === FF)) return true;
  if ((first === 0) !== (second === 0)) return bytes.length % 2 === 0;
  return first === 0 && bytes[2] === FE && bytes[3] === FF;
}

/** The text of UTF-8, without the mark before it; or what is wrong with the bytes, as the end of a sentence about them. */
export function decodeUtf8(bytes: Buffer): { text: string } | { fault: string } {
  if (isWide(bytes)) return { fault: "must be UTF-8: this is UTF-16 or UTF-32" };
  if (!isUtf8(bytes)) return { fault: "must be UTF-8" };
  return { text: withoutMark(bytes.toString("utf8")) };
}

/**
 * The bytes of a file without the mark before them, as they come.
 * @param refuseWide throws; called where they begin as UTF-16 or UTF-32 do
 */
export async function* unmarked(
  source: AsyncIterable<Buffer>,
  refuseWide: () => never,
): AsyncGenerator<Buffer> {
  let first: Buffer | null = Buffer.alloc(0);
  const begin = (bytes: Buffer): Buffer => {
    if (isWide(bytes.subarray(0, 4))) refuseWide();
    return bytes.subarray(0, MARK_BYTES.length).equals(MARK_BYTES)
      ? bytes.subarray(MARK_BYTES.length)
      : bytes;
  };
  for await (const chunk of source) {
    if (first === null) yield chunk;
    else {
      first = Buffer.concat([first, chunk]);
      if (first.length < 4) continue;
      yield begin(first);
      first = null;
    }
  }
  if (first !== null) yield begin(first);
}

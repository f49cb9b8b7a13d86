/** Bytes of every part of a file but the last. */
export const PART_BYTES = 4 * 1_024 * 1_024;

/** How many parts a file of so many bytes has. */
export const partCount = (bytes: number): number => Math.ceil(bytes / PART_BYTES);

/** Where a part begins and ends in its file. @param n from 1 */
export const placeOfPart = (n: number, bytes: number): { from: number; to: number } => ({
  from: (n - 1) * PART_BYTES,
  to: Math.min(bytes, n * PART_BYTES),
});

/**
 * Whether no part is missing before the last one. Pages send the last part first, so its number says how many there are.
 * @param parts numbers of the parts that the server has, ascending
 */
export const isWhole = (parts: readonly number[]): boolean =>
  parts.length > 0 && parts.at(-1) === parts.length;

/** How many bytes the whole file has of which some parts are there, the last one included; null where there is none yet. */
export function wholeBytes({ parts, bytes }: { parts: readonly number[]; bytes: number }): number | null {
  const last = parts.at(-1);
  return last === undefined ? null : bytes + (last - parts.length) * PART_BYTES;
}

/** In which order parts are sent: each group when the one before is there. */
type SendingOrder = { before: readonly number[]; others: readonly number[] };

/**
 * The last part goes first, and alone: a file that is cut after it can be seen not to be whole. Of a file that goes on, the first of the parts
 * that are there goes again, because the server refuses it where it is one of another file.
 */
export function sendingOrder(bytes: number, parts: readonly number[]): SendingOrder {
  const last = partCount(bytes);
  const missing = Array.from({ length: last }, (_, index) => index + 1).filter((n) => !parts.includes(n));
  const [first] = parts;
  const before = [...new Set([last, first ?? last])];
  return { before, others: missing.filter((n) => n !== last) };
}

/** Why a file is not the one that was begun; null where it may be it. */
export function otherFile(
  file: { name: string; size: number },
  begun: { name: string; parts: readonly number[]; bytes: number },
): "name" | "size" | null {
  if (file.name !== begun.name) return "name";
  const whole = wholeBytes(begun);
  return whole === null || whole === file.size ? null : "size";
}

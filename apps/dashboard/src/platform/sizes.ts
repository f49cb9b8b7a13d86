const UNITS = ["B", "KB", "MB", "GB", "TB"] as const;
const STEP = 1_024;
const NUMBER = new Intl.NumberFormat(undefined, { maximumSignificantDigits: 3 });

/** Bytes as a person reads them: 12.3 MB. */
export function sizeOf(bytes: number): string {
  let size = bytes;
  let unit = 0;
  while (size >= STEP && unit < UNITS.length - 1) {
    size /= STEP;
    unit++;
  }
  return `${NUMBER.format(size)} ${UNITS[unit]}`;
}

const WORDS: Readonly<Record<string, string>> = {
  EACCES: "The server may not write there.",
  EPERM: "The server may not write there.",
  EROFS: "The disk is read-only.",
  ENOSPC: "The disk is full.",
  EDQUOT: "The disk is full.",
  ENOTDIR: "A file lies where a folder should be.",
  EEXIST: "A file lies where a folder should be.",
  EISDIR: "A folder lies where a file should be.",
};

/** Why a file could not be written, in a sentence. */
export function diskFaultOf(cause: unknown): string {
  const { code = String(cause) } = cause as NodeJS.ErrnoException;
  return WORDS[code] ?? `The file cannot be written (${code}).`;
}

/** A typed text as it is stored: trimmed, NFC. Null when it has control characters, line separators or lone surrogates. */
export function cleanLine(typed: string): string | null {
  const line = typed.trim().normalize("NFC");
  return /[\p{Cc}\p{Zl}\p{Zp}]/u.test(line) || !line.isWellFormed() ? null : line;
}

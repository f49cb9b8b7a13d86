const nameOf = (key: string): string => `tidings.kept.${key}`;

/** What this tab keeps over a reload by a key; null where it keeps nothing, or nothing that can be read. */
export function readKept<Value>(key: string): Value | null {
  try {
    const text = sessionStorage.getItem(nameOf(key));
    // Only `keep` writes these, in the same version of the pages.
    return text === null ? null : (JSON.parse(text) as Value);
  } catch {
    return null;
  }
}

/** Keeps a value in this tab until it is closed; null forgets it. */
export function keep(key: string, value: unknown): void {
  try {
    if (value === null) sessionStorage.removeItem(nameOf(key));
    else sessionStorage.setItem(nameOf(key), JSON.stringify(value));
  } catch {
    // A browser that keeps nothing, or has no room, loses what is not saved when it reloads.
  }
}

/** The most characters of a key. */
export const MAX_KEY = 64;

/** A key for a template, as it follows from its name: `Your receipt!` becomes `your-receipt`. Empty where the name has no letters of the key. */
export const suggestedKey = (name: string): string =>
  name
    .normalize("NFKD")
    .toLowerCase()
    // Accents stand behind their letters, and are no letters of a key.
    .replace(/\p{M}/gu, "")
    .replace(/[^a-z0-9_-]+/g, "-")
    .slice(0, MAX_KEY)
    .replace(/^-+|-+$/g, "");

/** Names of traits or events, as people list them: `plan, credit`. */

const MAX_NAMES = 200;
const MAX_NAME = 128;

export const NAMES_RULE = `must be at most ${MAX_NAMES} names with commas between, each 1 to ${MAX_NAME} characters without control characters`;

/** The names of a list, each once; null when one of them is too long or cannot be a name, or there are too many. */
export function parseNames(typed: string): readonly string[] | null {
  const names = new Set(
    typed
      .split(",")
      .map((name) => name.trim())
      .filter((name) => name !== ""),
  );
  const isName = (name: string): boolean => [...name].length <= MAX_NAME && !/\p{Cc}/u.test(name);
  return names.size === 0 || names.size > MAX_NAMES || ![...names].every(isName) ? null : [...names];
}

/** A list as it is stored and shown; `parseNames` reads it. */
export const namesText = (names: readonly string[]): string => names.join(", ");

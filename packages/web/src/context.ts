const named = (table: readonly (readonly [RegExp, string])[], text: string): string | undefined =>
  table.find(([pattern]) => pattern.test(text))?.[1];

// The order matters: the user agent of most browsers also contains the names of those below them.
const BROWSERS = [
  [/Edg/, "Edge"],
  [/OPR/, "Opera"],
  [/Firefox|FxiOS/, "Firefox"],
  [/Chrome|CriOS/, "Chrome"],
  [/Safari/, "Safari"],
] as const;
const SYSTEMS = [
  [/Android/, "Android"],
  [/iPhone|iPad|iPod/, "iOS"],
  [/Windows/, "Windows"],
  [/Mac/, "macOS"],
  [/CrOS/, "ChromeOS"],
  [/Linux/, "Linux"],
] as const;

/** Traits that a page knows of its visitor by itself; undefined ones are left out when they are sent. */
export function automaticTraits(): Record<string, string | undefined> {
  const { userAgent, language } = navigator;
  return {
    $browser: named(BROWSERS, userAgent),
    $os: named(SYSTEMS, userAgent),
    $locale: language,
    $timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  };
}

const BROWSERS = [
  ["Edg/", "Edge"],
  ["OPR/", "Opera"],
  ["Firefox/", "Firefox"],
  ["Chrome/", "Chrome"],
  ["Safari/", "Safari"],
] as const;
const SYSTEMS = [
  ["Android", "Android"],
  ["iPhone", "iPhone"],
  ["iPad", "iPad"],
  ["Windows", "Windows"],
  ["Mac OS", "macOS"],
  ["Linux", "Linux"],
] as const;

/** A browser and its system as people call them, from what it says of itself; null where it says nothing known. */
export function browserName(agent: string | null): string | null {
  const find = (known: readonly (readonly [string, string])[]) =>
    known.find(([sign]) => agent?.includes(sign))?.[1];
  const named = [find(BROWSERS), find(SYSTEMS)].filter((name) => name !== undefined);
  return named.length === 0 ? null : named.join(", ");
}

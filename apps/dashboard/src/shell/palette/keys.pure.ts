/** The letter that opens a page after "g", by the path of the page. */
export const PAGE_KEYS: Readonly<Record<string, string>> = {
  overview: "o",
  campaigns: "c",
  journeys: "j",
  goals: "g",
  approvals: "a",
  agent: "t",
  sources: "r",
  users: "u",
  segments: "s",
  events: "e",
  import: "n",
  email: "m",
  push: "p",
  settings: "x",
  keys: "k",
  people: "l",
  usage: "b",
  audit: "d",
  system: "y",
  account: "i",
};

/** What a key asks for. `lead`: it was "g", and the next letter names a page. */
export type KeyCommand = "palette" | "keys" | "search" | "lead" | { path: string } | null;

export type Pressed = {
  key: string;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
  /** Whether what has the focus takes text, or a dialog is open. */
  isTaken: boolean;
  /** Whether single keys are on. */
  areOn: boolean;
  /** Whether "g" was pressed right before. */
  isLed: boolean;
};

/** What pressing a key asks for; null where it means nothing here, or belongs to a field. */
export function commandOf({ key, ctrlKey, metaKey, altKey, isTaken, areOn, isLed }: Pressed): KeyCommand {
  if ((ctrlKey || metaKey) && !altKey && key.toLowerCase() === "k") return "palette";
  if (ctrlKey || metaKey || altKey || isTaken || !areOn) return null;
  if (isLed) {
    const [path] = Object.entries(PAGE_KEYS).find(([, pageKey]) => pageKey === key) ?? [];
    if (path !== undefined) return { path };
  }
  if (key === "/") return "search";
  if (key === "?") return "keys";
  return key === "g" ? "lead" : null;
}

import type { Page } from "../../platform/pages.ts";

/** Something that the palette offers. */
export type PaletteChoice = {
  id: string;
  label: string;
  hint?: string;
  /** Other words that find it. */
  also?: string;
  /** It is one of many, so it is offered once something is typed. */
  isSought?: true;
};

/** A choice, and what choosing it does. */
export type Offer = PaletteChoice & { act: () => void };

export type PaletteProps = {
  pages: readonly Page[];
  scope: string;
  close: () => void;
  openPage: (path: string, search?: Readonly<Record<string, string>>) => void;
  openProject: (scope: string) => void;
  signOut: () => void;
  showKeys: () => void;
};

/** Choices of one kind, under a heading. */
export type Choices<Kind extends PaletteChoice = PaletteChoice> = { group: string; choices: readonly Kind[] };

const plain = (text: string): string => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();

/** Whether each word that was typed begins a word of the label, or lies within it where it is longer than one letter. */
export function matches(label: string, typed: string): boolean {
  const text = plain(label);
  return plain(typed)
    .split(/\s+/)
    .filter((word) => word !== "")
    .every((word) =>
      word.length > 1 ? text.includes(word) : text.split(/\s+/).some((each) => each.startsWith(word)),
    );
}

/** Groups with what is called so, or found by its other words; those without any are left out. */
export const matching = <Kind extends PaletteChoice>(
  groups: readonly Choices<Kind>[],
  typed: string,
): Choices<Kind>[] =>
  groups
    .map(({ group, choices }) => ({
      group,
      choices: choices.filter(
        ({ label, also = "", isSought = false }) =>
          !(isSought && typed.trim() === "") && matches(`${label} ${also}`, typed),
      ),
    }))
    .filter(({ choices }) => choices.length > 0);

/** The place of the choice that a key leads to, of so many; around at both ends. */
export function placeAfter(key: string, place: number, count: number): number | null {
  if (count === 0) return null;
  switch (key) {
    case "ArrowDown":
      return (place + 1) % count;
    case "ArrowUp":
      return (place - 1 + count) % count;
    case "Home":
      return 0;
    case "End":
      return count - 1;
    default:
      return null;
  }
}

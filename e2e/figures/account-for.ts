import { withoutNoFigures } from "./no-figures.ts";
import { lineOf, type Shown } from "./shown.ts";

const DIGIT = /\d/;
const NUMBER = /\d[\d,.]*/g;

/** A line without what is no figure in it: what is said, and no longer when. */
const figuresIn = ({ label, text }: Shown): string => lineOf({ label, text: withoutNoFigures(text) });

/** A fact about a field whose name the API does not know. */
const FIELD = "‹field›: ";
const isOf = ({ label, text }: Shown, fact: string): boolean =>
  fact === lineOf({ label, text }) ||
  fact === figuresIn({ label, text }) ||
  (label.startsWith("[") && fact === `${FIELD}${text}`);

/** Whether a fact is about a number: a cell may be a word in place of one, in a row with a number in its name. */
const hasFigure = (fact: string): boolean => DIGIT.test(withoutNoFigures(fact.replace(/^.* \| [^:]*: /, "")));

/** A line with its numbers left out: that of a figure which may be wrong. */
const shapeOf = (line: string): string => line.replaceAll(NUMBER, "#");

/** Takes an element out of a list; answers whether it was there. */
function take<Item>(items: Item[], is: (item: Item) => boolean): Item | undefined {
  const place = items.findIndex(is);
  return place < 0 ? undefined : items.splice(place, 1)[0];
}

/**
 * Compares what a page shows with the facts. Answers what is wrong with it, in sentences: a number that no fact explains, a number that is
 * another one than the fact's, and a fact that the page does not show.
 */
export function faultsOf(
  shown: readonly Shown[],
  facts: readonly string[],
  constant: ReadonlySet<string>,
): string[] {
  const left = facts.filter(hasFigure);
  const open = shown
    .filter(({ text }) => DIGIT.test(withoutNoFigures(text)) && !constant.has(text))
    .filter((each) => take(left, (fact) => isOf(each, fact)) === undefined);
  const faults = open.map((each) => {
    const [line, figures] = [lineOf(each), figuresIn(each)];
    const fact = take(left, (each) => shapeOf(each) === shapeOf(line) || shapeOf(each) === shapeOf(figures));
    return fact === undefined ? `nothing explains “${line}”` : `shows “${line}”, and has to show “${fact}”`;
  });
  return [...faults, ...left.map((fact) => `does not show “${fact}”`)];
}

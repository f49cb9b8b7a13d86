import { words } from "./words.ts";

type Kind = keyof typeof words.kinds;
type Words = Readonly<Record<string, string>>;

const kinds = Object.keys(words.kinds) as Kind[];
const operations: Words = Object.assign({}, ...kinds.map((kind) => words.kinds[kind].operations));

/** What an operation does, in words; its id where there are none. */
export const operationText = (id: string): string => operations[id] ?? id;

/** The kinds of change to choose from. */
export const kindOptions = kinds.map((kind) => ({ value: kind, label: words.kinds[kind].label }));

/** The operations of a kind, as a query names them; undefined where there is no such kind. */
export function operationsOf(kind: string): string | undefined {
  const found = kinds.find((each) => each === kind);
  return found && Object.keys(words.kinds[found].operations).join(",");
}

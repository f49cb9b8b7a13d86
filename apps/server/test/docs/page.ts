import { readFile } from "node:fs/promises";

/** A page of the docs, as tests compare it with what is there. */
export type DocsPage = {
  text: string;
  /** Its blocks of code in a language, in their order. */
  blocksOf(language: string): string[];
  /** The cells of its table with this first line, row by row, as they are read. */
  table(head: string): string[][];
};

/** What a cell of a table says, without the marks of code and of a bar that is no border. */
const cellOf = (written: string): string =>
  written
    .trim()
    .replaceAll("\\|", "|")
    .replace(/^`(.*)`$/, "$1")
    .replace(/^`{2}$/, "");

/** Reads a page of the docs. */
export async function openPage(place: URL): Promise<DocsPage> {
  const text = await readFile(place, "utf8");
  return {
    text,
    blocksOf: (language) =>
      [...text.matchAll(/```(\w+)\n([\s\S]*?)```/g)]
        .filter(([, given]) => given === language)
        .map(([, , block = ""]) => block),
    table(head) {
      const [, body = ""] = text.split(`\n${head}\n`);
      const rows = (body.split("\n\n")[0] ?? "").split("\n").slice(1);
      return rows.map((row) =>
        row
          .split(/(?<!\\)\|/)
          .slice(1, -1)
          .map(cellOf),
      );
    },
  };
}

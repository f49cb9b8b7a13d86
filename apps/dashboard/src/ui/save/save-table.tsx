import { Button } from "@mantine/core";
import { CSV_START, csvRow } from "@tidings/client/csv";
import { fileName, saveFile } from "../../platform/save-file.ts";
import { words } from "./words.ts";

type Props = {
  /** What the file is called, without its day and its ending. */
  name: string;
  heads: readonly string[];
  /** Numbers as they are, and not as the page writes them. */
  rows: readonly (readonly (string | number | null)[])[];
};

/** Saves figures that the page has as a table. */
export function SaveTable({ name, heads, rows }: Props) {
  const save = (): void => {
    const text = CSV_START + [heads, ...rows].map(csvRow).join("");
    saveFile(fileName(name, "csv"), new Blob([text], { type: "text/csv" }));
  };
  return (
    <Button variant="default" size="xs" onClick={save}>
      {words.save}
    </Button>
  );
}

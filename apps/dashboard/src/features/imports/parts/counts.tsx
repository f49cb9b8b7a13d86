import { SimpleGrid } from "@mantine/core";
import { Figure } from "../../../ui/charts/figure.tsx";
import type { ImportFile } from "../rules.ts";
import { words } from "../words.ts";

/** How many lines were read, and what came of them. */
export function Counts({ file: { lines, written, known, refused, isDryRun } }: { file: ImportFile }) {
  const { figures, figuresAbout } = words;
  return (
    <SimpleGrid cols={{ base: 2, md: 4 }}>
      <Figure label={figures.lines} value={lines} />
      <Figure label={isDryRun ? figures.wouldWrite : figures.written} value={written} />
      <Figure label={figures.known} value={known} {...(known > 0 && { about: figuresAbout.known })} />
      <Figure
        label={figures.refused}
        value={refused}
        isWrong={refused > 0}
        {...(refused > 0 && { about: figuresAbout.refused })}
      />
    </SimpleGrid>
  );
}

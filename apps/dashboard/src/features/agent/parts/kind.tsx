import { Badge, Stack, Text } from "@mantine/core";
import { isMerelyReported, type Run } from "../rules.ts";
import { words } from "../words.ts";

type RunKind = Pick<Run, "kind" | "writtenBy">;

/** The kind of a run; one that Tidings does not know as the program wrote it. */
export const kindName = (kind: string): string => words.kinds[kind] ?? kind;

/** The kind of a run as its title: in the words of Tidings only where they are not a program's word for something else. */
export const titleOf = (run: RunKind): string =>
  isMerelyReported(run) ? `“${run.kind}”` : kindName(run.kind);

/** Whose word a run is. */
export const writerOf = ({ writtenBy }: RunKind): string =>
  writtenBy === null ? words.unknownWriter : (words.wrote[writtenBy] ?? writtenBy);

/** The kind of a run, and whose word it is. */
export const KindBadge = ({ run }: { run: RunKind }) => (
  <Stack gap={2} align="flex-start">
    <Badge
      variant={run.kind === "evaluate" ? "light" : "default"}
      {...(isMerelyReported(run) && { tt: "none" as const })}
      maw="100%"
    >
      {titleOf(run)}
    </Badge>
    <Text size="xs" c="dimmed">
      {writerOf(run)}
    </Text>
  </Stack>
);

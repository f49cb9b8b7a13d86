import { Badge } from "@mantine/core";
import { words } from "../words.ts";

/** The kind of a run; one that Tidings does not know as the program wrote it. */
export const kindName = (kind: string): string => words.kinds[kind] ?? kind;

export const KindBadge = ({ kind }: { kind: string }) => (
  <Badge variant={kind === "evaluate" ? "light" : "default"} maw="100%">
    {kindName(kind)}
  </Badge>
);

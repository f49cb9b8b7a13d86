import { Button, Group, Text } from "@mantine/core";
import { counted } from "../../platform/figures.ts";
import type { NodeCounts } from "./node-counts.ts";
import { compared, type FieldNode, outerPlace } from "./tree.pure.ts";
import { words } from "./words.ts";

type At = { counts: NodeCounts; place: string };

/** How many users meet what is written in a line of the builder by itself, "must not" included. */
export function NodeUsers({ counts, place }: At) {
  const found = counts.get(outerPlace(place));
  return found === undefined ? null : (
    <Text
      size="sm"
      c={found.users === 0 ? "var(--mantine-color-error)" : "dimmed"}
      py={6}
      style={{ whiteSpace: "nowrap" }}
    >
      {counted(found.users, "user")}
    </Text>
  );
}

/** Says that no user has the value of a condition, with the values that there are: one press takes one of them. */
export function OtherValues({
  counts,
  place,
  node,
  change,
}: At & { node: FieldNode; change: (node: FieldNode) => void }) {
  const values = counts.get(place)?.values ?? [];
  if (values.length === 0) return null;
  if (node.op !== "eq") return <Text size="sm">{words.otherValues(values)}</Text>;
  return (
    <Group gap={6}>
      <Text size="sm">{words.noUserHasIt}</Text>
      {values.map((value) => (
        <Button
          key={value}
          size="compact-sm"
          variant="light"
          aria-label={words.choose(value)}
          onClick={() => change(compared(node, "eq", value))}
        >
          {value}
        </Button>
      ))}
    </Group>
  );
}

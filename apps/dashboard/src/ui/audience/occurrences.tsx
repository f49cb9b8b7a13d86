import { Group, NativeSelect, Text, TextInput } from "@mantine/core";
import { optionsOf } from "../options.ts";
import { type CountingNode, ONCE, within } from "./tree.pure.ts";
import { WindowFields } from "./value.tsx";
import { words } from "./words.ts";

type Count = NonNullable<CountingNode["count"]>;
type Props<Counting> = {
  node: Counting;
  /** What is counted: the word for one, and for any other number. */
  units: readonly [one: string, several: string];
  change: (node: Counting) => void;
};

/** How often something has to have happened, and in which time. */
export function Occurrences<Counting extends CountingNode>({ node, units, change }: Props<Counting>) {
  const { count = ONCE as Count, window } = node;
  const [one, several] = units;
  return (
    <Group gap={6}>
      <NativeSelect
        aria-label={words.count}
        data={optionsOf(words.counts)}
        value={count.op}
        onChange={({ currentTarget }) =>
          change({ ...node, count: { ...count, op: currentTarget.value as Count["op"] } })
        }
      />
      <TextInput
        type="number"
        min={0}
        w="5rem"
        aria-label={several}
        value={count.value}
        onChange={({ currentTarget }) =>
          change({ ...node, count: { ...count, value: currentTarget.valueAsNumber || 0 } })
        }
      />
      <Text size="sm">{count.value === 1 ? one : several}</Text>
      <NativeSelect
        aria-label={words.within}
        data={[
          { value: "ever", label: words.ever },
          { value: "window", label: words.inLast },
        ]}
        value={window === undefined ? "ever" : "window"}
        onChange={({ currentTarget }) =>
          change(within(node, currentTarget.value === "ever" ? undefined : { amount: 7, unit: "days" }))
        }
      />
      {window !== undefined && (
        <WindowFields window={window} change={(changed) => change(within(node, changed))} />
      )}
    </Group>
  );
}

import { Button, CloseButton, Group, Stack, TextInput } from "@mantine/core";
import { useId } from "react";
import { ConditionFields } from "./condition.tsx";
import type { NodeCounts } from "./node-counts.ts";
import { NodeUsers } from "./node-users.tsx";
import { Occurrences } from "./occurrences.tsx";
import {
  type AudienceCapabilities,
  type EventNode,
  newWhere,
  replaced,
  type WhereNode,
  wherePlace,
} from "./tree.pure.ts";
import { words } from "./words.ts";

type Props = {
  node: EventNode;
  /** JSON pointer of the event. */
  place: string;
  capabilities: AudienceCapabilities;
  counts: NodeCounts;
  change: (node: EventNode) => void;
};

/** Without a list where nothing is in it. */
function withWhere({ where: _, ...node }: EventNode, where: readonly WhereNode[]): EventNode {
  return where.length === 0 ? node : { ...node, where: [...where] };
}

/** How often a user did something, in a time and with properties where those matter. */
export function EventFields({ node, place, capabilities, counts, change }: Props) {
  const id = useId();
  const { where = [] } = node;
  const properties = capabilities.events.find(({ name }) => name === node.event)?.properties ?? [];
  const replace = (index: number, changed: WhereNode | null): void =>
    change(withWhere(node, replaced(where, index, changed)));
  return (
    <Stack gap={6}>
      <Group gap={6}>
        <TextInput
          aria-label={words.event}
          placeholder={words.event}
          list={`${id}-events`}
          maxLength={80}
          value={node.event}
          onChange={({ currentTarget }) => change({ ...node, event: currentTarget.value })}
        />
        <datalist id={`${id}-events`}>
          {capabilities.events.map(({ name }) => (
            <option key={name} value={name} />
          ))}
        </datalist>
        <Occurrences node={node} units={words.times} change={change} />
      </Group>
      {where.map((condition, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: conditions have no names, and the number of them makes the rest anew.
        <Group key={`${where.length}-${index}`} gap={6} ps="md" data-place={wherePlace(place, index)}>
          <ConditionFields
            node={condition}
            known={properties}
            capabilities={capabilities}
            label={words.property}
            change={(changed) => replace(index, changed)}
          />
          <NodeUsers counts={counts} place={wherePlace(place, index)} />
          <CloseButton aria-label={words.remove(words.condition)} onClick={() => replace(index, null)} />
        </Group>
      ))}
      <div>
        <Button
          size="compact-sm"
          variant="subtle"
          onClick={() => change(withWhere(node, [...where, newWhere()]))}
        >
          {words.addProperty}
        </Button>
      </div>
    </Stack>
  );
}

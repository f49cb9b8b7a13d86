import { Button, CloseButton, Group, Stack, TextInput } from "@mantine/core";
import { type ReactNode, useId } from "react";
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

/** An event with conditions on its properties. */
type Ruled = { event: string; where?: WhereNode[] };

type RuleProps<Rule extends Ruled> = {
  rule: Rule;
  /** JSON pointer of the event. */
  place: string;
  capabilities: AudienceCapabilities;
  /** None where it is part of no audience. */
  counts?: NodeCounts;
  /** What is wrong with it. */
  error?: string | undefined;
  change: (rule: Rule) => void;
  /** What stands beside the name. */
  children?: ReactNode;
};

const NO_COUNTS: NodeCounts = new Map();

/** Without a list where nothing is in it. */
function withWhere<Rule extends Ruled>({ where: _, ...rule }: Rule, where: readonly WhereNode[]): Rule {
  const made = where.length === 0 ? rule : { ...rule, where: [...where] };
  // What is left of a generic type without one of its fields, the type cannot say.
  return made as unknown as Rule;
}

/** An event by its name, with properties where those matter. */
export function EventRuleFields<Rule extends Ruled>({
  rule,
  place,
  capabilities,
  counts = NO_COUNTS,
  error,
  change,
  children,
}: RuleProps<Rule>) {
  const id = useId();
  const { where = [] } = rule;
  const properties = capabilities.events.find(({ name }) => name === rule.event)?.properties ?? [];
  const replace = (index: number, changed: WhereNode | null): void =>
    change(withWhere(rule, replaced(where, index, changed)));
  return (
    <Stack gap={6}>
      <Group gap={6} {...(error !== undefined && { align: "flex-start" })}>
        <TextInput
          aria-label={words.event}
          placeholder={words.event}
          list={`${id}-events`}
          maxLength={80}
          value={rule.event}
          error={error}
          onChange={({ currentTarget }) => change({ ...rule, event: currentTarget.value })}
        />
        <datalist id={`${id}-events`}>
          {capabilities.events.map(({ name }) => (
            <option key={name} value={name} />
          ))}
        </datalist>
        {children}
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
          onClick={() => change(withWhere(rule, [...where, newWhere()]))}
        >
          {words.addProperty}
        </Button>
      </div>
    </Stack>
  );
}

type Props = {
  node: EventNode;
  /** JSON pointer of the event. */
  place: string;
  capabilities: AudienceCapabilities;
  counts: NodeCounts;
  change: (node: EventNode) => void;
};

/** How often a user did something, in a time and with properties where those matter. */
export const EventFields = ({ node, ...fields }: Props) => (
  <EventRuleFields {...fields} rule={node}>
    <Occurrences node={node} units={words.times} change={fields.change} />
  </EventRuleFields>
);

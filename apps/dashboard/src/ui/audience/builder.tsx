import { Button, CloseButton, Group, NativeSelect, Stack, Text } from "@mantine/core";
import classes from "./builder.module.css";
import { ConditionFields } from "./condition.tsx";
import { EventFields } from "./event.tsx";
import {
  type Capabilities,
  type Expression,
  expressionOf,
  type GroupNode,
  groupOf,
  isGroup,
  type Node,
  newEvent,
  newField,
  newGroup,
  nodeOf,
  placeOf,
  plainOf,
  withChild,
} from "./tree.pure.ts";
import { words } from "./words.ts";

/** What the server says of a place in the expression. */
export type Remark = { path: string; message: string; severity: string };
type Shared = { capabilities: Capabilities; remarks: readonly Remark[]; maxDepth: number };

type NodeProps = Shared & {
  node: Node;
  /** JSON pointer of the node that `not` is not around. */
  place: string;
  depth: number;
  change: (node: Node | null) => void;
};

function Remarks({ remarks, place }: { remarks: readonly Remark[]; place: string }) {
  return remarks
    .filter(({ path }) => path === place || path.startsWith(`${place}/`))
    .map(({ message, severity, path }) => (
      <Text key={path + message} size="sm" c={severity === "error" ? "var(--mantine-color-error)" : "dimmed"}>
        {message}
      </Text>
    ));
}

function NodeFields({ node: given, place, depth, change, ...shared }: NodeProps) {
  const plain = plainOf(given);
  const { node, isNot } = plain;
  const replace = (changed: typeof node): void => change(nodeOf({ isNot, node: changed }));
  return (
    <div className={classes.node}>
      <Group gap={6} align="flex-start" wrap="nowrap" justify="space-between">
        <Group gap={6} align="flex-start">
          <NativeSelect
            aria-label={words.isNot}
            data={[
              { value: "must", label: words.must },
              { value: "not", label: words.mustNot },
            ]}
            value={isNot ? "not" : "must"}
            onChange={({ currentTarget }) => change(nodeOf({ node, isNot: currentTarget.value === "not" }))}
          />
          {node.kind === "field" && (
            <ConditionFields
              {...{ node, known: shared.capabilities.traits, capabilities: shared.capabilities }}
              label={words.field}
              change={replace}
            />
          )}
          {node.kind === "event" && (
            <EventFields {...{ node, capabilities: shared.capabilities }} change={replace} />
          )}
          {isGroup(node) && (
            <GroupFields
              {...{ ...shared, group: node, place, depth }}
              change={(changed) =>
                change(changed.children.length === 0 ? null : nodeOf({ isNot, node: changed }))
              }
            />
          )}
        </Group>
        <CloseButton
          aria-label={words.remove(isGroup(node) ? words.group : words.condition)}
          onClick={() => change(null)}
        />
      </Group>
      {!isGroup(node) && <Remarks remarks={shared.remarks} place={place} />}
    </div>
  );
}

type GroupProps = Shared & {
  group: GroupNode;
  place: string;
  depth: number;
  /** Whether a single member stands for the whole expression. */
  isRoot?: boolean;
  change: (group: GroupNode) => void;
};

function GroupFields({ group, place, depth, isRoot = false, change, ...shared }: GroupProps) {
  const { children, kind } = group;
  const add = (child: Node): void => change({ ...group, children: [...children, child] });
  return (
    <Stack gap="xs" className={classes.group}>
      <NativeSelect
        aria-label={words.groupKind}
        maw="12rem"
        data={[
          { value: "all", label: words.all },
          { value: "any", label: words.any },
        ]}
        value={kind}
        onChange={({ currentTarget }) =>
          change({ ...group, kind: currentTarget.value === "any" ? "any" : "all" })
        }
      />
      {children.map((child, index) => (
        <NodeFields
          // biome-ignore lint/suspicious/noArrayIndexKey: conditions have no names, and the number of them makes the rest anew.
          key={`${children.length}-${index}`}
          {...{ ...shared, node: child, depth: depth + 1 }}
          place={placeOf(place, child, index, isRoot && children.length === 1)}
          change={(changed) => change(withChild(group, index, changed))}
        />
      ))}
      <Group gap="xs">
        <Button size="compact-sm" variant="light" onClick={() => add(newField())}>
          {words.addCondition}
        </Button>
        <Button size="compact-sm" variant="light" onClick={() => add(newEvent())}>
          {words.addEvent}
        </Button>
        {depth < shared.maxDepth - 2 && (
          <Button size="compact-sm" variant="light" onClick={() => add(newGroup())}>
            {words.addGroup}
          </Button>
        )}
      </Group>
    </Stack>
  );
}

type Props = {
  expression: Expression;
  capabilities: Capabilities;
  remarks: readonly Remark[];
  change: (expression: Expression) => void;
};

/** Conditions in groups, nested as far as the server takes them. Every expression can be shown, and stays as it is until it is changed. */
export function AudienceBuilder({ expression, capabilities, remarks, change }: Props) {
  return (
    <GroupFields
      {...{ capabilities, remarks, group: groupOf(expression), place: "/root", depth: 0, isRoot: true }}
      maxDepth={capabilities.expression.limits.maxDepth ?? 0}
      change={(group) => change(expressionOf(group))}
    />
  );
}

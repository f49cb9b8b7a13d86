import { Box, Button, CloseButton, Group, NativeSelect, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { ConfirmDialog } from "../dialogs/confirm-dialog.tsx";
import { warningText } from "../findings/rules.pure.ts";
import { useVisited } from "../form/use-visited.ts";
import classes from "./builder.module.css";
import { ConditionFields } from "./condition.tsx";
import { EventFields } from "./event.tsx";
import { MessageFields } from "./message.tsx";
import type { NodeCounts } from "./node-counts.ts";
import { NodeUsers, OtherValues } from "./node-users.tsx";
import { type ExpressionRemark, isAt } from "./remark.ts";
import {
  type AudienceCapabilities,
  blankPlaces,
  conditionsOf,
  type Expression,
  type GroupNode,
  groupExpression,
  isGroup,
  leafPlaces,
  memberPointer,
  type Node,
  newEvent,
  newField,
  newGroup,
  newMessage,
  nodeOf,
  type Plain,
  plainOf,
  toGroup,
  withChild,
} from "./tree.pure.ts";
import { words } from "./words.ts";

type Shared = {
  scope: string;
  capabilities: AudienceCapabilities;
  remarks: readonly ExpressionRemark[];
  counts: NodeCounts;
  maxDepth: number;
};

type NodeProps = Shared & {
  node: Node;
  /** JSON pointer of the node that `not` is not around. */
  place: string;
  depth: number;
  change: (node: Node | null) => void;
};

function Remarks({ remarks, place }: { remarks: readonly ExpressionRemark[]; place: string }) {
  return remarks
    .filter(({ path }) => isAt(path, place))
    .map(({ severity, ...remark }) => (
      <Text
        key={remark.path + remark.message}
        size="sm"
        c={severity === "error" ? "var(--mantine-color-error)" : "dimmed"}
      >
        {warningText(remark)}
      </Text>
    ));
}

/** Takes a part of an expression away. Several conditions are not gone by a press that was meant for another one. */
function Removal({ node, remove }: { node: Plain["node"]; remove: () => void }) {
  const [isOpen, setOpen] = useState(false);
  const count = conditionsOf(node);
  const close = (): void => setOpen(false);
  const act = (): void => {
    close();
    remove();
  };
  return (
    <>
      <CloseButton
        aria-label={words.remove(isGroup(node) ? words.group : words.condition)}
        onClick={() => (count > 1 ? setOpen(true) : remove())}
      />
      <ConfirmDialog
        opened={isOpen}
        close={close}
        act={act}
        action={words.removeAll}
        title={words.removeTitle(count)}
        about={words.removeAbout}
        change={{ error: null, isPending: false }}
      />
    </>
  );
}

function NodeFields({ node: given, place, depth, change, ...shared }: NodeProps) {
  const plain = plainOf(given);
  const { node, isNot } = plain;
  const replace = (changed: typeof node): void => change(nodeOf({ isNot, node: changed }));
  return (
    <div className={classes.node} data-place={place}>
      <Group gap={6} align="flex-start" wrap="nowrap" justify="space-between">
        <Group gap={6} align="flex-start" miw={0} flex={1}>
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
              node={node}
              known={shared.capabilities.traits}
              capabilities={shared.capabilities}
              label={words.field}
              change={replace}
            />
          )}
          {node.kind === "event" && (
            <EventFields
              node={node}
              place={place}
              capabilities={shared.capabilities}
              counts={shared.counts}
              change={replace}
            />
          )}
          {node.kind === "message" && (
            <MessageFields
              scope={shared.scope}
              node={node}
              capabilities={shared.capabilities}
              change={replace}
            />
          )}
          {isGroup(node) && (
            <GroupFields
              {...shared}
              group={node}
              place={place}
              depth={depth}
              change={(changed) =>
                change(changed.children.length === 0 ? null : nodeOf({ isNot, node: changed }))
              }
            />
          )}
          <NodeUsers counts={shared.counts} place={place} />
        </Group>
        <Removal node={node} remove={() => change(null)} />
      </Group>
      {!isGroup(node) && <Remarks remarks={shared.remarks} place={place} />}
      {node.kind === "field" && (
        <OtherValues counts={shared.counts} node={node} place={place} change={replace} />
      )}
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
          {...shared}
          node={child}
          depth={depth + 1}
          place={memberPointer(place, child, index, isRoot && children.length === 1)}
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
        <Button size="compact-sm" variant="light" onClick={() => add(newMessage())}>
          {words.addMessage}
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
  scope: string;
  expression: Expression;
  capabilities: AudienceCapabilities;
  remarks: readonly ExpressionRemark[];
  /** How many users meet each condition by itself, as far as that is known. */
  counts: NodeCounts;
  /** Whether it was to be saved: then all remarks are shown, else none of conditions that a person has not come to yet. */
  wasTried: boolean;
  change: (expression: Expression) => void;
};

/** Where the condition lies that a field is a part of. */
const placeAround = (field: HTMLElement) => field.closest<HTMLElement>("[data-place]")?.dataset.place;

/** Conditions in groups, nested as far as the server takes them. Every expression can be shown, and stays as it is until it is changed. */
export function AudienceBuilder(props: Props) {
  const { scope, expression, capabilities, remarks, counts, wasTried, change } = props;
  const { maxDepth = 0, maxListItems = Number.POSITIVE_INFINITY } = capabilities.expression.limits;
  // Where conditions come or go, the places of the others change.
  const { visited, leave } = useVisited(leafPlaces(expression.root).join(" "), placeAround);
  const unvisited = blankPlaces(expression.root).filter((place) => !visited.includes(place));
  const shown = wasTried
    ? remarks
    : remarks.filter(({ path }) => !unvisited.some((place) => isAt(path, place)));
  return (
    <Box onBlur={leave}>
      <GroupFields
        scope={scope}
        capabilities={capabilities}
        maxDepth={maxDepth}
        counts={counts}
        remarks={shown}
        place="/root"
        depth={0}
        isRoot
        group={toGroup(expression, maxListItems)}
        change={(group) => change(groupExpression(group, maxListItems))}
      />
    </Box>
  );
}

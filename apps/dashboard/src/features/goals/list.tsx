import { Anchor, Badge, Group, Select, Text } from "@mantine/core";
import { Link, useNavigate } from "@tanstack/react-router";
import { useAddress } from "../../platform/address.ts";
import type { Goal } from "../../platform/api-types.ts";
import { numberOf, percentOf } from "../../platform/figures.ts";
import { useOperation } from "../../platform/operations.ts";
import { timeOf } from "../../platform/times.ts";
import { RoleButton } from "../../ui/dialogs/role-button.tsx";
import { GUARDRAILS } from "../../ui/guardrails/kinds.ts";
import { Empty } from "../../ui/lists/empty.tsx";
import { Rows } from "../../ui/lists/rows.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import classes from "../../ui/look/long.module.css";
import { optionsOf } from "../../ui/options.ts";
import { Page } from "../../ui/page.tsx";
import { GOAL_STATUSES } from "./rules.ts";
import { words } from "./words.ts";

/** The most that the list answers. */
const MOST = 100;
const HUNDRED = 100;

type OfScope = { scope: string };

function cellsOf(scope: string, { id, name, status, targetEvent, ...goal }: Goal) {
  const limits = GUARDRAILS.filter((key) => goal.guardrails?.[key] !== undefined).length;
  return [
    <Group key="name" gap="xs">
      <Anchor component={Link} to={`/p/${scope}/goals/${id}`} fw={600} className={classes.long}>
        {name}
      </Anchor>
      {status === "archived" && <Badge variant="default">{words.statuses.archived}</Badge>}
    </Group>,
    targetEvent === null ? (
      <Text key="event" size="sm" c="dimmed">
        {words.noEvent}
      </Text>
    ) : (
      <Text key="event" size="sm" className={classes.long}>
        {targetEvent}
      </Text>
    ),
    goal.holdoutPercent === 0 ? (
      <Text key="out" size="sm" c="dimmed">
        {words.noUsers}
      </Text>
    ) : (
      percentOf(goal.holdoutPercent / HUNDRED)
    ),
    limits === 0 ? (
      <Text key="limits" size="sm" c="dimmed">
        {words.noLimits}
      </Text>
    ) : (
      numberOf(limits)
    ),
    words.approvals[goal.approvalMode],
    timeOf(goal.createdAt),
  ];
}

export function GoalsPage({ scope }: OfScope) {
  const navigate = useNavigate();
  const [{ status: chosen = "" }, change] = useAddress();
  const status = GOAL_STATUSES.find((each) => each === chosen);
  const goals = useOperation(scope, "listGoals", { query: status === undefined ? {} : { status } });
  return (
    <Page
      about={words.about}
      actions={
        <RoleButton
          scope={scope}
          needs={"editor" as const}
          onClick={() => void navigate({ to: `/p/${scope}/goals/new` })}
        >
          {words.newGoal}
        </RoleButton>
      }
    >
      <Select
        label={words.status}
        value={chosen}
        allowDeselect={false}
        maw="14rem"
        data={[{ value: "", label: words.all }, ...optionsOf(words.statuses)]}
        onChange={(value) => change({ status: value ?? "" })}
      />
      <Loaded query={goals}>
        {({ goals: found }) =>
          found.length === 0 ? (
            <Empty
              title={words.none}
              about={words.noneAbout}
              filtered={
                status === undefined ? null : { title: words.noMatch, clear: () => change({ status: "" }) }
              }
            />
          ) : (
            <>
              <Rows
                heads={[words.name, words.event, words.heldOut, words.limits, words.approval, words.made]}
                rows={found.map((goal) => ({ id: goal.id, cells: cellsOf(scope, goal) }))}
              />
              {found.length >= MOST && (
                <Text size="sm" c="dimmed" mt="md">
                  {words.onlyNewest}
                </Text>
              )}
            </>
          )
        }
      </Loaded>
    </Page>
  );
}

import { Anchor, Badge, Group, Stack, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useNamed } from "../../platform/address.ts";
import type { Goal } from "../../platform/api-types.ts";
import { useOperation } from "../../platform/operations.ts";
import { timeOf, zoneName } from "../../platform/times.ts";
import { CampaignsOf } from "../../ui/campaigns/campaigns-of.tsx";
import { figureOf } from "../../ui/campaigns/results.ts";
import { Loaded } from "../../ui/loaded.tsx";
import classes from "../../ui/look/long.module.css";
import { Page } from "../../ui/page.tsx";
import { Views } from "../../ui/views.tsx";
import { Actions } from "./parts/actions.tsx";
import { GoalLift } from "./parts/goal-lift.tsx";
import { GoalLimits } from "./parts/limits.tsx";
import { Picture } from "./parts/picture.tsx";

import { words } from "./words.ts";

type OfGoal = { scope: string; goal: Goal };

function Facts({ goal }: { goal: Goal }) {
  const { status, targetEvent, attributionDays, approvalMode, createdAt, description } = goal;
  const facts = [
    targetEvent === null ? words.countsNothing : words.counts(targetEvent, attributionDays),
    words.madeAt(timeOf(createdAt), zoneName()),
  ];
  return (
    <Stack gap={4}>
      <Group gap="sm">
        <Badge variant={status === "active" ? "light" : "default"}>{words.statuses[status]}</Badge>
        <Text size="sm" className={classes.long}>
          {facts.join(", ")}
        </Text>
        <Text size="sm" c="dimmed">
          {words.modes[approvalMode]}
        </Text>
      </Group>
      {description !== null && description !== "" && (
        <Text size="sm" className={classes.long}>
          {description}
        </Text>
      )}
    </Stack>
  );
}

function Results({ scope, goal }: OfGoal) {
  const limits = useOperation(scope, "getGoalLimits", { path: { id: goal.id } });
  return (
    <Stack gap="xl">
      <GoalLift scope={scope} goal={goal} />
      <Loaded query={limits}>{(found) => <Picture goal={goal} limits={found} />}</Loaded>
    </Stack>
  );
}

function Parts({ scope, goal }: OfGoal) {
  const { views } = words;
  const campaigns = (
    <CampaignsOf
      scope={scope}
      filter={{ goalId: goal.id }}
      more={{
        head: words.converted,
        cell: (_, results) => figureOf(results, "converted"),
        wantsResults: true,
      }}
      empty={<Text>{words.noCampaigns}</Text>}
    />
  );
  return (
    <Views
      label={words.sections}
      views={[
        { name: "results", label: views.results, content: <Results scope={scope} goal={goal} /> },
        { name: "campaigns", label: views.campaigns, content: campaigns },
        { name: "limits", label: views.limits, content: <GoalLimits scope={scope} goal={goal} /> },
      ]}
    />
  );
}

export function GoalPage({ scope }: { scope: string }) {
  const id = useNamed("goalId");
  const found = useOperation(scope, "getGoal", { path: { id } });
  const goal = found.data?.goal;
  return (
    <Page
      {...(goal !== undefined && { title: goal.name })}
      actions={goal && <Actions key={goal.id} scope={scope} goal={goal} />}
    >
      <Anchor component={Link} to={`/p/${scope}/goals`} size="sm">
        {words.back}
      </Anchor>
      <Loaded query={found}>
        {({ goal: known }) => (
          <Stack key={known.id} gap="lg">
            <Facts goal={known} />
            <Parts scope={scope} goal={known} />
          </Stack>
        )}
      </Loaded>
    </Page>
  );
}

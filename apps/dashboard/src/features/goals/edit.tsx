import { Alert, Anchor, Button, Group, Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { Link, useNavigate } from "@tanstack/react-router";
import { useNamed } from "../../platform/address.ts";
import { problemOf } from "../../platform/client.ts";
import { useChange, useOperation } from "../../platform/operations.ts";
import { useKept } from "../../platform/use-kept.ts";
import { guardrailName } from "../../ui/guardrails/names.ts";
import { Leaving } from "../../ui/leaving.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { Page } from "../../ui/page.tsx";
import { namedFault } from "./parts/fault.ts";
import { GoalForm } from "./parts/form.tsx";
import { STALE } from "./parts/stale.ts";
import { changeOf, draftOf, type Goal, overlapOf } from "./rules.ts";
import { words } from "./words.ts";

type Props = { scope: string; goal: Goal };

const labelOf = (field: string): string => words.fields[field] ?? guardrailName(field);

/** Which fields somebody else has changed as well, and the way to theirs. */
function Stale({ fields, takeTheirs }: { fields: readonly string[]; takeTheirs: () => void }) {
  return (
    <Alert color="yellow" title={words.staleTitle}>
      <Stack align="flex-start">
        <Text size="sm">{words.staleAbout(fields.map(labelOf).join(", "))}</Text>
        <Button variant="default" onClick={takeTheirs}>
          {words.takeTheirs}
        </Button>
      </Stack>
    </Alert>
  );
}

function Editing({ scope, goal }: Props) {
  const navigate = useNavigate();
  const kept = useKept(`goal ${goal.id}`, () => draftOf(goal));
  const saving = useChange(scope, "updateGoal", STALE);
  const { value: draft, isUnsaved } = kept;
  const change = changeOf(draft, goal);
  const overlap = saving.isIdle || saving.isError ? overlapOf(draft, goal) : [];
  const save = async (): Promise<void> => {
    if (change === null) return;
    await saving.mutateAsync({
      ...{ path: { id: goal.id }, body: change },
      headers: { "Idempotency-Key": kept.requestKey },
    });
    kept.saved();
    notifications.show({ message: words.savedIt });
    await navigate({ to: `/p/${scope}/goals/${goal.id}`, ignoreBlocker: true });
  };
  const discard = (): void => {
    saving.reset();
    kept.startOver(draftOf(goal));
  };
  const fault = saving.error === null ? null : problemOf(saving.error).message;
  return (
    <Stack gap="lg">
      <Group gap="xs">
        {isUnsaved() && (
          <Button variant="default" onClick={discard}>
            {words.discard}
          </Button>
        )}
        <Button
          loading={saving.isPending}
          disabled={change === null}
          onClick={() => void save().catch(() => undefined)}
        >
          {words.save}
        </Button>
        {change === null && (
          <Text size="sm" c="dimmed">
            {words.unchanged}
          </Text>
        )}
      </Group>
      {overlap.length > 0 && <Stale fields={overlap} takeTheirs={discard} />}
      {fault !== null && <Alert color="red" title={namedFault(fault)} role="alert" />}
      <GoalForm {...{ scope, draft, change: kept.change, fault }} />
      <Leaving isUnsaved={isUnsaved} settle={async () => !isUnsaved()} />
    </Stack>
  );
}

/** A goal as a person changes it. */
export function EditGoalPage({ scope }: { scope: string }) {
  const id = useNamed("goalId");
  const found = useOperation(scope, "getGoal", { path: { id } });
  return (
    <Page title={words.editTitle(found.data?.goal.name ?? "")} about={words.editAbout}>
      <Anchor component={Link} to={`/p/${scope}/goals/${id}`} size="sm">
        {words.backTo}
      </Anchor>
      <Loaded of={found}>{({ goal }) => <Editing key={goal.id} {...{ scope, goal }} />}</Loaded>
    </Page>
  );
}

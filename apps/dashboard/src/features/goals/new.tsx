import { Alert, Anchor, Button, Group } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { Link, useNavigate } from "@tanstack/react-router";
import { problemOf } from "../../platform/client.ts";
import { useChange } from "../../platform/operations.ts";
import { useKept } from "../../platform/use-kept.ts";
import { Leaving } from "../../ui/leaving.tsx";
import { Page } from "../../ui/page.tsx";
import { namedFault } from "./parts/fault.ts";
import { GoalForm } from "./parts/form.tsx";
import { STALE } from "./parts/stale.ts";
import { bodyOf, newDraft } from "./rules.ts";
import { words } from "./words.ts";

/** A goal that is not made yet. What is written stays in this tab until it is. */
export function NewGoalPage({ scope }: { scope: string }) {
  const navigate = useNavigate();
  const kept = useKept(`new goal ${scope}`, newDraft);
  const making = useChange(scope, "createGoal", STALE);
  const { value: draft, isUnsaved } = kept;
  const body = bodyOf(draft);
  const make = async (): Promise<void> => {
    if (body === null) return;
    const { goal } = await making.mutateAsync({ body, headers: { "Idempotency-Key": kept.requestKey } });
    kept.saved();
    notifications.show({ message: words.madeIt });
    await navigate({ to: `/p/${scope}/goals/${goal.id}`, replace: true, ignoreBlocker: true });
  };
  const startOver = (): void => {
    making.reset();
    kept.startOver(newDraft());
  };
  const fault = making.error === null ? null : problemOf(making.error).message;
  return (
    <Page
      about={words.newAbout}
      actions={
        <Group gap="xs">
          {isUnsaved() && (
            <Button variant="default" onClick={startOver}>
              {words.startOver}
            </Button>
          )}
          <Button
            loading={making.isPending}
            disabled={body === null}
            onClick={() => void make().catch(() => undefined)}
          >
            {words.make}
          </Button>
        </Group>
      }
    >
      <Anchor component={Link} to={`/p/${scope}/goals`} size="sm">
        {words.back}
      </Anchor>
      {fault !== null && <Alert color="red" title={namedFault(fault)} role="alert" />}
      <GoalForm {...{ scope, draft, change: kept.change, fault }} />
      <Leaving isUnsaved={isUnsaved} settle={async () => !isUnsaved()} />
    </Page>
  );
}

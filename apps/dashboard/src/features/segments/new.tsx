import { Alert, Anchor, Button, Group } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { Link, useNavigate } from "@tanstack/react-router";
import { problemOf } from "../../platform/client.ts";
import { useChange } from "../../platform/operations.ts";
import { useKept } from "../../platform/use-kept.ts";
import { Leaving } from "../../ui/leaving.tsx";
import { Page } from "../../ui/page.tsx";
import { SegmentForm } from "./parts/form.tsx";
import { STALE } from "./parts/stale.ts";
import { bodyOf, newDraft, ruleOf } from "./rules.ts";
import { words } from "./words.ts";

/** A segment that is not made yet. What is written stays in this tab until it is. */
export function NewSegmentPage({ scope }: { scope: string }) {
  const navigate = useNavigate();
  const kept = useKept(`new segment ${scope}`, newDraft);
  const making = useChange(scope, "createSegment", STALE);
  const { value: draft, isUnsaved } = kept;
  const rule = ruleOf(draft);
  const make = async (): Promise<void> => {
    if ("fault" in rule) return;
    const { segment } = await making.mutateAsync({
      body: bodyOf(draft, rule.rule),
      headers: { "Idempotency-Key": kept.requestKey },
    });
    kept.saved();
    notifications.show({ message: words.madeIt });
    await navigate({ to: `/p/${scope}/segments/${segment.id}`, replace: true, ignoreBlocker: true });
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
            disabled={"fault" in rule}
            onClick={() => void make().catch(() => undefined)}
          >
            {words.make}
          </Button>
        </Group>
      }
    >
      <Anchor component={Link} to={`/p/${scope}/segments`} size="sm">
        {words.back}
      </Anchor>
      {fault !== null && <Alert color="red" title={fault} role="alert" />}
      <SegmentForm {...{ scope, draft, change: kept.change, fault }} />
      <Leaving isUnsaved={isUnsaved} settle={async () => !isUnsaved()} />
    </Page>
  );
}

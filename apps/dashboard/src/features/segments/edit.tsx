import { Alert, Anchor, Button, Group, Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { Link, useNavigate } from "@tanstack/react-router";
import { useNamed } from "../../platform/address.ts";
import { isRefused, problemOf } from "../../platform/client.ts";
import { numberOf } from "../../platform/figures.ts";
import { useChange, useOperation } from "../../platform/operations.ts";
import { useKept } from "../../platform/use-kept.ts";
import { Leaving } from "../../ui/leaving.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { Page } from "../../ui/page.tsx";
import { SegmentForm } from "./parts/form.tsx";
import { STALE } from "./parts/stale.ts";
import { changeOf, draftOf, ruleOf, type Segment } from "./rules.ts";
import { words } from "./words.ts";

type Props = { scope: string; segment: Segment };

type StaleProps = { segment: Segment; keepMine: () => void; takeTheirs: () => void };

/** Theirs, where somebody else has made a version meanwhile, with both ways on. */
function Stale({ segment: { currentVersion, summary }, keepMine, takeTheirs }: StaleProps) {
  return (
    <Alert color="yellow" title={words.staleTitle(numberOf(currentVersion))}>
      <Stack>
        <Text size="sm">{words.staleAbout}</Text>
        <Text size="sm">{words.theirs(summary ?? words.unreadable)}</Text>
        <Group>
          <Button variant="default" onClick={takeTheirs}>
            {words.takeTheirs}
          </Button>
          <Button onClick={keepMine}>{words.keepMine}</Button>
        </Group>
      </Stack>
    </Alert>
  );
}

function Editing({ scope, segment }: Props) {
  const navigate = useNavigate();
  const kept = useKept(`segment ${segment.id}`, () => draftOf(segment));
  const saving = useChange(scope, "updateSegment", STALE);
  const { value: draft, isUnsaved } = kept;
  const rule = ruleOf(draft);
  const change = "rule" in rule ? changeOf(draft, rule.rule, segment) : null;
  // While it is saved, the newer version is one's own.
  const isStale = isUnsaved() && (saving.isIdle || saving.isError) && draft.base !== segment.currentVersion;
  const isRule = change?.expression !== undefined;
  const save = async (): Promise<void> => {
    if (change === null) return;
    await saving.mutateAsync({
      ...{ path: { id: segment.id }, body: change },
      headers: { "Idempotency-Key": kept.requestKey },
    });
    kept.saved();
    notifications.show({ message: words.savedIt });
    await navigate({ to: `/p/${scope}/segments/${segment.id}`, ignoreBlocker: true });
  };
  const discard = (): void => {
    saving.reset();
    kept.startOver(draftOf(segment));
  };
  const keepMine = (): void => {
    saving.reset();
    kept.change({ ...draft, base: segment.currentVersion });
  };
  const fault =
    saving.error === null || isRefused(saving.error, 409) ? null : problemOf(saving.error).message;
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
          disabled={change === null || isStale}
          onClick={() => void save().catch(() => undefined)}
        >
          {isRule ? words.saveVersion(numberOf(segment.currentVersion + 1)) : words.save}
        </Button>
        {change === null && "rule" in rule && (
          <Text size="sm" c="dimmed">
            {words.unchanged}
          </Text>
        )}
      </Group>
      {isStale && <Stale {...{ segment, keepMine, takeTheirs: discard }} />}
      {fault !== null && <Alert color="red" title={fault} role="alert" />}
      {segment.status === "archived" && <Text>{words.isArchived}</Text>}
      <SegmentForm {...{ scope, draft, change: kept.change, fault }} hasRule={segment.status === "active"} />
      <Leaving isUnsaved={isUnsaved} settle={async () => !isUnsaved()} />
    </Stack>
  );
}

/** A segment as a person changes it: its name, or its rule, which makes the next version. */
export function EditSegmentPage({ scope }: { scope: string }) {
  const id = useNamed("segmentId");
  const found = useOperation(scope, "getSegment", { path: { id } });
  return (
    <Page title={words.editTitle(found.data?.segment.name ?? "")} about={words.editAbout}>
      <Anchor component={Link} to={`/p/${scope}/segments/${id}`} size="sm">
        {words.backTo}
      </Anchor>
      <Loaded of={found}>{({ segment }) => <Editing key={segment.id} {...{ scope, segment }} />}</Loaded>
    </Page>
  );
}

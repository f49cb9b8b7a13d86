import { Alert, Anchor, Button, Group, Stack, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { wordOps } from "@tidings/client/word-ops";
import { useNamed } from "../../platform/address.ts";
import { isRefused } from "../../platform/client.ts";
import { inWords } from "../../platform/faults.ts";
import { numberOf } from "../../platform/figures.ts";
import { useOperation } from "../../platform/operations.ts";
import type { Expression } from "../../ui/audience/tree.pure.ts";
import { useCampaignWords } from "../../ui/campaigns/campaign-names.ts";
import { Changed, Theirs } from "../../ui/changes/changes.tsx";
import { Discard } from "../../ui/form/discard.tsx";
import { FormActions } from "../../ui/form/form-actions.tsx";
import { useChangedBy } from "../../ui/form/use-changed-by.ts";
import { useForm } from "../../ui/form/use-form.ts";
import { Loaded } from "../../ui/loaded.tsx";
import { Page } from "../../ui/page.tsx";
import { SegmentForm } from "./parts/form.tsx";
import { SEGMENT_STALE } from "./parts/stale.ts";
import { draftFromSegment, ruleOf, type Segment, type SegmentDraft, segmentPatch } from "./rules.ts";
import { words } from "./words.ts";

type Props = { scope: string; segment: Segment };

type StaleProps = Props & {
  draft: SegmentDraft;
  rule: Expression | null;
  changedBy: string;
  keepMine: () => void;
  takeTheirs: () => void;
};

/** What people change a segment by. */
const CHANGES = ["updateSegment", "archiveSegment"] as const;

/** What would become of the draft, where another person has made a version meanwhile, with both ways on. */
function Stale({ scope, segment, draft, rule, changedBy, keepMine, takeTheirs }: StaleProps) {
  const { currentVersion } = segment;
  const check = useOperation(
    scope,
    "checkAudience",
    { body: { ...(rule !== null && { expression: rule }), sampleLimit: 0 } },
    { enabled: rule !== null, refetchInterval: false },
  );
  const found = check.error === null ? check.data?.summary : undefined;
  const written = useCampaignWords(scope, [segment.summary ?? "", found ?? ""]);
  const mine = found === undefined ? undefined : written(found);
  const summary = written(segment.summary ?? "");
  const texts = [
    { name: words.name, theirs: segment.name, own: draft.name },
    { name: words.description, theirs: segment.description ?? "", own: draft.description },
    // What is wrong with one's own is said at the condition; there is nothing to compare then.
    ...(mine === undefined ? [] : [{ name: words.rule, theirs: summary, own: mine }]),
  ];
  return (
    <Alert color="yellow" title={words.staleTitle(numberOf(currentVersion))}>
      <Stack>
        <Text size="sm">
          {changedBy} {words.staleAbout}
        </Text>
        {mine === undefined && <Text size="sm">{words.theirs(summary || words.unreadable)}</Text>}
        <Theirs>
          <Stack gap="sm">
            {texts.map(({ name, theirs, own }) =>
              theirs === own ? null : (
                <Changed key={name} name={name} before={theirs} after={own} ops={wordOps(theirs, own)} />
              ),
            )}
          </Stack>
        </Theirs>
        <Group>
          <Discard label={words.takeTheirs} discard={takeTheirs} />
          <Button onClick={keepMine}>{words.keepMine}</Button>
        </Group>
      </Stack>
    </Alert>
  );
}

function Editing({ scope, segment }: Props) {
  const { id, currentVersion } = segment;
  const form = useForm({
    scope,
    operation: "updateSegment",
    stale: SEGMENT_STALE,
    key: `segment ${id}`,
    initial: () => draftFromSegment(segment),
  });
  const { draft, change, isUnsaved, isSaving } = form;
  const rule = ruleOf(draft);
  const body = "rule" in rule ? segmentPatch(draft, rule.rule, segment) : null;
  // While it is saved, the newer version is one's own.
  const isStale = isUnsaved() && !isSaving && draft.base !== currentVersion;
  const changedBy = useChangedBy(scope, CHANGES, id, {
    revision: String(draft.base),
    isInSync: draft.base === currentVersion,
  });
  const fault = isRefused(form.error, 409) ? null : form.fault;
  const save = async (): Promise<void> => {
    if (body === null) return;
    await form.send({ path: { id }, body });
    await form.done({ to: `/p/${scope}/segments/${id}`, message: words.savedIt });
  };
  return (
    <Stack gap="lg">
      <FormActions
        form={form}
        save={save}
        discard={words.discard}
        disabled={body === null || isStale}
        label={body?.expression === undefined ? words.save : words.saveVersion(numberOf(currentVersion + 1))}
      >
        {body === null && "rule" in rule && (
          <Text size="sm" c="dimmed">
            {words.unchanged}
          </Text>
        )}
      </FormActions>
      {isStale && (
        <Stale
          scope={scope}
          segment={segment}
          draft={draft}
          changedBy={changedBy}
          takeTheirs={form.startOver}
          rule={"rule" in rule ? rule.rule : null}
          keepMine={() => form.goOn({ ...draft, base: currentVersion })}
        />
      )}
      {fault !== null && <Alert color="red" title={inWords(fault)} role="alert" />}
      {segment.status === "archived" && <Text>{words.isArchived}</Text>}
      <SegmentForm
        scope={scope}
        draft={draft}
        change={change}
        fault={fault}
        hasRule={segment.status === "active"}
      />
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
      <Loaded query={found}>
        {({ segment }) => <Editing key={segment.id} scope={scope} segment={segment} />}
      </Loaded>
    </Page>
  );
}

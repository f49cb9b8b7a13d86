import { Button, Code, Group, Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { numberOf } from "../../../platform/figures.ts";
import { useOperation } from "../../../platform/operations.ts";
import { timeOf } from "../../../platform/times.ts";
import { Dialog } from "../../../ui/dialog.tsx";
import { Loaded } from "../../../ui/loaded.tsx";
import long from "../../../ui/long.module.css";
import { Problem } from "../../../ui/problem.tsx";
import { WordDiff } from "../../../ui/word-diff.tsx";
import type { CampaignDetail, Review } from "../rules.ts";
import type { Editing } from "./use-draft.ts";
import { words } from "./words.ts";

type Change = Review["changes"][number];

const TIMES = ["deliverFrom", "deliverUntil"];

function shownValue({ path }: Change, value: unknown): string {
  if (value === null) return words.nothing;
  if (TIMES.includes(path) && typeof value === "number") return timeOf(value);
  return typeof value === "object" ? JSON.stringify(value, null, 2) : String(value);
}

/** The name of a field for a person: a variant by its name, a field of the form by its label. */
function nameOf(path: string, { variants }: CampaignDetail): string {
  const [, id, rest = ""] = /^variants\[([^\]]+)\]\.(.*)$/.exec(path) ?? [];
  if (id === undefined) return words.fieldOf(path);
  const known = variants.find((variant) => variant.id === id)?.name;
  const field = words.fieldOf(rest.replace(/^message\.?/, ""));
  return `${known === undefined ? words.newVariant : words.variant(known)}: ${field}`;
}

function Changes({ review: { changes, texts }, campaign }: { review: Review; campaign: CampaignDetail }) {
  return changes.map((change) => {
    const { path, before, after } = change;
    const ops = texts.find((text) => text.path === path)?.ops;
    return (
      <section key={path} aria-label={nameOf(path, campaign)}>
        <Text fw={600} size="sm">
          {nameOf(path, campaign)}
        </Text>
        {ops !== undefined ? (
          <WordDiff ops={ops} />
        ) : (
          <Group gap="xs" align="flex-start">
            <Code className={long.long}>{shownValue(change, before)}</Code>
            <Text size="sm" aria-hidden>
              {words.becomes}
            </Text>
            <Code className={long.long}>{shownValue(change, after)}</Code>
          </Group>
        )}
      </section>
    );
  });
}

type Props = {
  scope: string;
  campaign: CampaignDetail;
  editing: Editing;
  opened: boolean;
  close: () => void;
};

/** Shows what a change would do before it is applied to a campaign that users get. */
export function Apply({ scope, campaign, editing, opened, close }: Props) {
  const { patch, revision, isSaving, problem } = editing;
  const review = useOperation(
    scope,
    "reviewCampaign",
    {
      path: { id: campaign.id },
      body: { launch: false, ...(patch !== null && { patch: { ...patch, expectedRevision: revision } }) },
    },
    { enabled: opened && patch !== null, refetchInterval: false },
  );
  const apply = async (): Promise<void> => {
    if (!(await editing.save())) return;
    close();
    notifications.show({ message: words.applied });
  };
  return (
    <Dialog opened={opened && patch !== null} close={close} title={words.applyTitle}>
      <Stack>
        <Loaded of={review}>
          {(found) => (
            <Stack>
              <Changes review={found} campaign={campaign} />
              <Text size="sm">
                {words.audienceThen(numberOf(found.audience.matched), numberOf(found.audience.left))}
              </Text>
            </Stack>
          )}
        </Loaded>
        <Text size="sm" c="dimmed">
          {words.applyAbout}
        </Text>
        {problem !== null && <Problem error={problem} />}
        <Group justify="flex-end">
          <Button variant="default" data-autofocus onClick={close}>
            {words.keep}
          </Button>
          <Button
            loading={isSaving}
            disabled={review.data === undefined || review.isPlaceholderData}
            onClick={() => void apply()}
          >
            {words.apply}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}

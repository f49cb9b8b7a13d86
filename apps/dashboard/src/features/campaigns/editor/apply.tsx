import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import type { CampaignDetail } from "../../../platform/api-types.ts";
import { useOperation } from "../../../platform/operations.ts";
import { Changes } from "../../../ui/changes/changes.tsx";
import { Dialog } from "../../../ui/dialogs/dialog.tsx";
import { SaveButton } from "../../../ui/form/save-button.tsx";
import { Loaded } from "../../../ui/loaded.tsx";
import { Problem } from "../../../ui/problem.tsx";
import { Restarts } from "../../../ui/statistics/restarts.tsx";
import { To } from "../../../ui/to.tsx";
import type { CampaignReview } from "../rules.ts";
import { asNewVariant, type Patch } from "./draft.ts";
import type { Editing } from "./use-draft.ts";
import { words } from "./words.ts";

type Props = {
  scope: string;
  campaign: CampaignDetail;
  editing: Editing;
  opened: boolean;
  close: () => void;
};

/** What an agent proposed for the campaign as it is, and could not apply to what it would be. */
const Lapsing = ({ scope, proposals }: { scope: string; proposals: CampaignReview["lapsing"] }) =>
  proposals.map(({ proposalId, isApproved }) => (
    <Stack key={proposalId} gap="xs">
      <Alert color="yellow">{isApproved ? words.lapsesApproved : words.lapsesPending}</Alert>
      <To scope={scope} path={`approvals/${proposalId}`}>
        {words.lapsing}
      </To>
    </Stack>
  ));

/** The places of variants in words, from the second on. */
const { ordinals } = words;

/** What counts no more once the change is applied, and the way to keep it: the new text as a variant of its own. */
function Anew({
  restarts,
  campaign,
  editing,
}: { restarts: CampaignReview["restarts"] } & Pick<Props, "campaign" | "editing">) {
  const { base, draft, change } = editing;
  const nameOf = (variantId: string): string =>
    campaign.variants.find(({ id }) => id === variantId)?.name ?? variantId;
  const nth = ordinals[draft.variants.length - 1];
  return (
    <Restarts
      restarts={restarts}
      nameOf={nameOf}
      action={({ variantId }) => {
        const apart = asNewVariant(base, draft, variantId);
        return (
          apart !== null &&
          nth !== undefined && (
            <Button variant="default" size="xs" onClick={() => change(apart)}>
              {words.asVariant(nth)}
            </Button>
          )
        );
      }}
    />
  );
}

/** What a change does to the way of a campaign through its audience; null where that goes on as it is. */
function passageAfter({ once: changed, audience, topicId }: Patch, { once }: CampaignDetail): string | null {
  if (changed === false) return words.willGoOn;
  return changed === true || (once && (audience !== undefined || topicId !== undefined))
    ? words.willBeOnce
    : null;
}

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
  const passage = campaign.channel === "web_inapp" || patch === null ? null : passageAfter(patch, campaign);
  const isTemplate = campaign.purpose === "transactional";
  const apply = async (): Promise<void> => {
    if (!(await editing.save())) return;
    close();
    notifications.show({ message: words.applied });
  };
  return (
    <Dialog opened={opened && patch !== null} close={close} title={words.applyTitle}>
      <Stack>
        <Loaded query={review}>
          {(found) => (
            <Stack>
              <Changes {...found} scope={scope} variants={campaign.variants} />
              <Anew restarts={found.restarts} campaign={campaign} editing={editing} />
              {patch?.goalId !== undefined && campaign.startedAt !== undefined && (
                <Text size="sm">{words.otherGoal}</Text>
              )}
              {passage !== null && <Text size="sm">{passage}</Text>}
              <Lapsing scope={scope} proposals={found.lapsing} />
              {!isTemplate && campaign.journeyStep === null && (
                <Text size="sm">{words.audienceThen(found.audience.matched, found.audience.left)}</Text>
              )}
              {editing.draft.topicId !== null && <Text size="sm">{words.ofThemTopic}</Text>}
            </Stack>
          )}
        </Loaded>
        <Text size="sm" c="dimmed">
          {isTemplate ? words.templateApplyAbout : words.applyAbout}
        </Text>
        {problem !== null && <Problem error={problem} />}
        <Group justify="flex-end">
          <Button variant="default" data-autofocus onClick={close}>
            {words.keep}
          </Button>
          <SaveButton
            isMain
            loading={isSaving}
            disabled={review.data === undefined || review.isPlaceholderData}
            onClick={() => void apply()}
          >
            {words.apply}
          </SaveButton>
        </Group>
      </Stack>
    </Dialog>
  );
}

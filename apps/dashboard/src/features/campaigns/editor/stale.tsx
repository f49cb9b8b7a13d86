import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import type { CampaignDetail } from "../../../platform/api-types.ts";
import { useOperation } from "../../../platform/operations.ts";
import { Changes, Theirs } from "../../../ui/changes/changes.tsx";
import { Discard } from "../../../ui/form/discard.tsx";
import { Loaded } from "../../../ui/loaded.tsx";
import { nameOfStatus } from "../rules.ts";
import { differencesOf, draftFromCampaign, ontoTheirs, patchOf } from "./draft.ts";
import type { Editing } from "./use-draft.ts";
import { words } from "./words.ts";

type Props = { scope: string; campaign: CampaignDetail; editing: Editing; changedBy: string };

/** What would become of theirs if a person kept theirs own, where the campaign was changed meanwhile. */
export function Stale({ scope, campaign, editing, changedBy }: Props) {
  const theirs = draftFromCampaign(campaign);
  const mine = ontoTheirs(editing.draft, theirs);
  const patch = patchOf(theirs, mine);
  const review = useOperation(
    scope,
    "reviewCampaign",
    { path: { id: campaign.id }, body: { launch: false, ...(patch !== null && { patch }) } },
    { enabled: patch !== null, refetchInterval: false },
  );
  const fields = differencesOf(theirs, mine).map((field) => words.fields[field]);
  return (
    <Alert color="yellow" title={words.staleTitle}>
      <Stack>
        <Text size="sm">
          {changedBy} {words.staleStatus(nameOfStatus(campaign))} {words.staleAbout(fields.join(", "))}
        </Text>
        {/* What cannot be saved as it is cannot be compared word by word: the names of its fields stand above. */}
        {patch !== null && review.error === null && (
          <Theirs>
            <Loaded query={review}>
              {(found) => <Changes {...found} scope={scope} variants={campaign.variants} />}
            </Loaded>
          </Theirs>
        )}
        <Group>
          <Discard label={words.theirs} discard={editing.takeTheirs} />
          <Button onClick={editing.keepMine}>{words.mine}</Button>
        </Group>
      </Stack>
    </Alert>
  );
}

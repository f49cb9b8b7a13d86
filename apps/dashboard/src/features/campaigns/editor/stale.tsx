import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { Rows } from "../../../ui/rows.tsx";
import type { CampaignDetail } from "../rules.ts";
import { words as ofCampaigns } from "../words.ts";
import { type Draft, differencesOf, draftOf, shownOf } from "./draft.ts";
import type { Editing } from "./use-draft.ts";
import { words } from "./words.ts";

/** Theirs beside yours, where somebody else has changed the campaign meanwhile. */
export function Stale({ campaign, editing }: { campaign: CampaignDetail; editing: Editing }) {
  const theirs = draftOf(campaign);
  const fields = differencesOf(theirs, editing.draft);
  const cell = (draft: Draft, field: keyof Draft) => <Text size="sm">{shownOf(draft, field)}</Text>;
  return (
    <Alert color="yellow" title={words.staleTitle}>
      <Stack>
        <Text size="sm">
          {words.staleAbout(fields.map((field) => words.fields[field]).join(", "))}{" "}
          {words.staleStatus(ofCampaigns.statuses[campaign.effectiveStatus])}
        </Text>
        <Rows
          heads={[words.field, words.theirsHead, words.mineHead]}
          rows={fields.map((field) => ({
            id: field,
            cells: [words.fields[field], cell(theirs, field), cell(editing.draft, field)],
          }))}
        />
        <Group>
          <Button variant="default" onClick={editing.takeTheirs}>
            {words.theirs}
          </Button>
          <Button onClick={editing.keepMine}>{words.mine}</Button>
        </Group>
      </Stack>
    </Alert>
  );
}

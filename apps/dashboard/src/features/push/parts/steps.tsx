import { Text } from "@mantine/core";
import { exactTimeOf } from "../../../platform/times.ts";
import { PagedRows } from "../../../ui/lists/paged-rows.tsx";
import classes from "../../../ui/look/long.module.css";
import { describeStep, type InstallationStory, type StoryStep } from "../rules.ts";
import { words } from "../words.ts";
import { CampaignOf } from "./slots.tsx";

function What({ step }: { step: StoryStep }) {
  const { what, about } = describeStep(step);
  return (
    <>
      <Text size="sm">{what}</Text>
      {about !== null && (
        <Text size="sm" c="dimmed" className={classes.long}>
          {about}
        </Text>
      )}
    </>
  );
}

const cellsOf = (scope: string, step: StoryStep) => [
  exactTimeOf(step.at),
  <What key="what" step={step} />,
  step.campaignId === null ? null : (
    <CampaignOf
      key="campaign"
      scope={scope}
      campaignId={step.campaignId}
      name={step.campaignName ?? ""}
      isTest={step.isTest}
    />
  ),
];

/** All that happened to a device, the newest first. */
export const StepsOf = ({ scope, story }: { scope: string; story: InstallationStory }) => (
  <PagedRows
    paging={story}
    heads={[words.when, words.what, words.campaign]}
    rows={story.steps.map((step) => ({
      id: [step.kind, step.slotId, step.number, step.at].join(" "),
      cells: cellsOf(scope, step),
    }))}
    empty={<Text size="sm">{words.noStory}</Text>}
  />
);

import { Anchor, Stack, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { timeOf } from "../../../platform/times.ts";
import { announcedChanges, needsPeople, stateText, waitsFor } from "../../../ui/activation/rules.ts";
import { words as shared } from "../../../ui/activation/words.ts";
import classes from "../../../ui/look/long.module.css";
import { type Announcement, launchedHow } from "../rules.ts";
import { words } from "../words.ts";

/** The newest warnings of a campaign are enough in a line. */
const MOST_WARNINGS = 3;

type OfScope = { scope: string };

function Changes({ activation }: Pick<Announcement, "activation">) {
  return (
    <Stack gap="xs">
      {announcedChanges(activation).map(({ id, sourceId, label, places }) => (
        <div key={id}>
          <Text size="sm" fw={600} className={classes.long}>
            {`${sourceId}: ${label}`}
          </Text>
          {places.length === 0 && <Text size="sm">{shared.nowhere}</Text>}
          {places.map((place) => (
            <Text key={place.id} size="sm" className={classes.long}>
              {`${place.label}: ${stateText(place, timeOf)}`}
            </Text>
          ))}
        </div>
      ))}
    </Stack>
  );
}

function Waits({ scope, activation }: OfScope & Pick<Announcement, "activation">) {
  const reasons = waitsFor(activation);
  if (reasons.length === 0) return <Text size="sm">{shared.willLaunch}</Text>;
  return (
    <Stack gap={2}>
      <Text size="sm" fw={600}>
        {words.waitsFor}
      </Text>
      {reasons.map((reason) => (
        <Text key={reason} size="sm" className={classes.long}>
          {reason}
        </Text>
      ))}
      {needsPeople(activation) && (
        <Anchor component={Link} to={`/p/${scope}/approvals`} size="sm">
          {words.toApprovals}
        </Anchor>
      )}
    </Stack>
  );
}

function Launch({ scope, announcement: { campaign, activation } }: OfScope & { announcement: Announcement }) {
  if (campaign.startedAt === null)
    return campaign.status === "draft" ? (
      <Waits scope={scope} activation={activation} />
    ) : (
      <Text size="sm">{words.notLaunched}</Text>
    );
  return (
    <Stack gap={2}>
      <Text size="sm">
        {[words.launchedAt(timeOf(campaign.startedAt)), launchedHow(activation)].filter(Boolean).join(", ")}
      </Text>
      {activation.warnings.slice(0, MOST_WARNINGS).map(({ id, reason, mappingLabel, createdAt }) => (
        <Text key={id} size="sm" fw={600} className={classes.long}>
          {words.warning(words.warnings[reason], mappingLabel, timeOf(createdAt))}
        </Text>
      ))}
    </Stack>
  );
}

/** A campaign in one line: what it announces and where that is live, its launch, and the way to its lift. */
export function announcementCells(scope: string, announcement: Announcement): ReactNode[] {
  const { campaign, activation } = announcement;
  const address = `/p/${scope}/campaigns/${campaign.id}`;
  return [
    <Anchor key="campaign" component={Link} to={address} fw={600} className={classes.long}>
      {campaign.name}
    </Anchor>,
    <Changes key="changes" activation={activation} />,
    <Launch key="launch" scope={scope} announcement={announcement} />,
    campaign.startedAt === null ? null : (
      <Anchor key="lift" component={Link} to={address} size="sm">
        {words.results}
      </Anchor>
    ),
  ];
}

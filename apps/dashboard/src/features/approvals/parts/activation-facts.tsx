import { Stack, Text } from "@mantine/core";
import { timeOf } from "../../../platform/times.ts";
import {
  type Activation,
  announcedChanges,
  describeBlocker,
  hintOf,
  stateText,
} from "../../../ui/activation/rules.ts";
import { words as shared } from "../../../ui/activation/words.ts";
import { Rows } from "../../../ui/lists/rows.tsx";
import long from "../../../ui/look/long.module.css";
import { Section } from "../../../ui/section.tsx";
import { To } from "../../../ui/to.tsx";
import { capitalized } from "../rules.ts";
import { words } from "../words.ts";

type Props = { activation: Activation };

/** The changes that a campaign announces, and whether each is live where it has to be. */
export function AnnouncedChanges({ scope, activation }: Props & { scope: string }) {
  const rows = announcedChanges(activation).flatMap(({ id, sourceId, label, places }) => {
    if (places.length === 0) return [{ id, cells: [label, sourceId, shared.nowhere, ""] }];
    return places.map((place) => ({
      id: `${id} ${place.id}`,
      cells: [
        label,
        sourceId,
        place.label,
        capitalized(stateText(place, timeOf)) + (place.evidence === null ? "" : ` (${place.evidence.label})`),
      ],
    }));
  });
  return (
    <Section title={words.announces}>
      {rows.length === 0 ? (
        <Text c="dimmed">{words.announcesNothing}</Text>
      ) : (
        <Rows heads={[words.change, words.source, words.where, words.state]} rows={rows} />
      )}
      {activation.lastCheckedAt !== null && (
        <Text size="sm" c="dimmed">
          {words.checked(timeOf(activation.lastCheckedAt))}
        </Text>
      )}
      <To scope={scope} path="sources">
        {words.sources}
      </To>
    </Section>
  );
}

/** Everything that keeps a campaign from launching by itself, with what to do. */
export const WaitsFor = ({ activation: { assessment } }: Props) => (
  <Section title={words.waitsFor}>
    {assessment.blockers.length === 0 ? (
      <Text>{shared.willLaunch}</Text>
    ) : (
      <Rows
        heads={[words.blocker, words.whatToDo]}
        rows={assessment.blockers.map((blocker) => ({
          id: [blocker.code, blocker.requirementId, blocker.mappingId].join(" "),
          cells: [
            describeBlocker(blocker),
            <Text key="detail" size="sm" className={long.long}>
              {hintOf(blocker)}
            </Text>,
          ],
        }))}
      />
    )}
  </Section>
);

/** How it was launched, and what was taken back since. */
export function LaunchSummary({ activation: { launch, warnings } }: Props) {
  if (launch === null) return null;
  return (
    <Section title={words.receipt}>
      <Text>{words.receiptBy[launch.mode](timeOf(launch.startedAt))}</Text>
      {launch.override !== undefined && (
        <Text className={long.long}>{words.overrode(launch.override.by, launch.override.reason)}</Text>
      )}
      {warnings.length > 0 && (
        <Stack gap={4}>
          <Text fw={600}>{words.warnings}</Text>
          <Text size="sm">{words.warningsAbout}</Text>
          {warnings.map(({ id, reason, mappingLabel, createdAt }) => (
            <Text key={id} size="sm" className={long.long}>
              {words.warning[reason](mappingLabel, timeOf(createdAt))}
            </Text>
          ))}
        </Stack>
      )}
    </Section>
  );
}

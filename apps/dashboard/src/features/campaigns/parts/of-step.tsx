import { Stack, Text } from "@mantine/core";
import type { CampaignDetail } from "../../../platform/api-types.ts";
import { useOperation } from "../../../platform/operations.ts";
import long from "../../../ui/look/long.module.css";
import { To } from "../../../ui/to.tsx";
import { words } from "../words.ts";

type Props = { scope: string; step: NonNullable<CampaignDetail["journeyStep"]> };

/** Of which step of which journey a campaign is the message, with the way there. */
export function OfStep({ scope, step: { journeyId, stepId } }: Props) {
  const found = useOperation(scope, "getJourney", { path: { id: journeyId } });
  return (
    <Stack gap={0}>
      <Text size="sm" className={long.long}>
        {`${words.ofStep(stepId)} `}
        <To scope={scope} path={`journeys/${journeyId}`}>
          {words.ofJourney(found.data?.journey.name ?? null)}
        </To>
      </Text>
      <Text size="sm">{words.ofStepAbout}</Text>
    </Stack>
  );
}

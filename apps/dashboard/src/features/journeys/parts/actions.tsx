import { Alert, Group, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useState } from "react";
import { problemOf } from "../../../platform/client.ts";
import { useChange, useOperation } from "../../../platform/operations.ts";
import { ConfirmDialog } from "../../../ui/dialogs/confirm-dialog.tsx";
import { RoleButton } from "../../../ui/dialogs/role-button.tsx";
import { To } from "../../../ui/to.tsx";
import { type Action, actionsOf, type Journey, refusingStep, withoutStep } from "../rules.ts";
import { stepWarning } from "../step-warning.ts";
import { words } from "../words.ts";
import { JOURNEY_STALE } from "./stale.ts";

type Props = { scope: string; journey: Journey };

const STALE = [...JOURNEY_STALE, "getCampaign", "getOverview"] as const;
const DONE = { launch: words.launched, pause: words.paused, end: words.ended } as const;

/** What a dialog says before an action. */
function questionOf(action: Action, { name, status, entry }: Journey) {
  if (action === "end") return { title: words.endTitle(name), about: words.endAbout };
  if (action === "pause") return { title: words.pauseTitle(name), about: words.pauseAbout };
  if (status === "paused") return { title: words.resumeTitle(name), about: words.resumeAbout };
  return { title: words.launchTitle(name), about: words.launchAbout[entry.on] };
}

/** Which message refuses what was to be done with all of them, why, and the way to it. */
function RefusedBy({ scope, journey, stepId, error }: Props & { stepId: string; error: Error }) {
  const step = journey.steps.find(({ id }) => id === stepId);
  return (
    <Alert color="red" title={words.refusedBy} role="alert">
      <Text size="sm">{withoutStep(problemOf(error).message, stepId)}</Text>
      {step?.kind === "send" && (
        <To scope={scope} path={`campaigns/${step.campaignId}`} isOnColour>
          {words.toRefusing(step.name)}
        </To>
      )}
    </Alert>
  );
}

/** How many users go on as soon as a paused journey does. */
function GoOnAtOnce({ scope, journey: { id } }: Props) {
  const census = useOperation(scope, "takeJourneyCensus", { path: { id } }, { refetchInterval: false });
  if (census.data === undefined) return null;
  return <Text size="sm">{words.goOnAtOnce(census.data.due)}</Text>;
}

/** What can be done with a journey in its state. Each asks first, because each reaches all who are inside. */
export function JourneyActions({ scope, journey }: Props) {
  const [chosen, setChosen] = useState<Action | null>(null);
  const changing = useChange(scope, "setJourneyStatus", STALE);
  const action = chosen ?? "pause";
  const labelOf = (each: Action): string =>
    each === "launch" && journey.status === "paused" ? words.resume : words.actions[each];
  const act = (): void =>
    changing.mutate(
      { path: { id: journey.id }, body: { action } },
      {
        onSuccess: ({ warnings = [] }) => {
          setChosen(null);
          const remarks = warnings.map((each) => stepWarning(each, journey.steps));
          notifications.show({
            message: [DONE[action], ...remarks].join(" "),
            // What is likely a slip has to be read before it goes away.
            ...(remarks.length > 0 && { color: "yellow", autoClose: false }),
          });
        },
      },
    );
  const stepId = refusingStep(changing.error);
  const isResuming = action === "launch" && journey.status === "paused";
  return (
    <>
      <Group gap="xs">
        {actionsOf(journey).map((each) => (
          <RoleButton
            key={each}
            scope={scope}
            needs="editor"
            variant={each === "launch" ? "filled" : "default"}
            onClick={() => {
              changing.reset();
              setChosen(each);
            }}
          >
            {labelOf(each)}
          </RoleButton>
        ))}
      </Group>
      <ConfirmDialog
        opened={chosen !== null}
        close={() => setChosen(null)}
        change={{ error: stepId === null ? changing.error : null, isPending: changing.isPending }}
        {...questionOf(action, journey)}
        isMild={action !== "end"}
        action={labelOf(action)}
        act={act}
      >
        {chosen !== null && isResuming && <GoOnAtOnce scope={scope} journey={journey} />}
        {stepId !== null && changing.error !== null && (
          <RefusedBy scope={scope} journey={journey} stepId={stepId} error={changing.error} />
        )}
      </ConfirmDialog>
    </>
  );
}

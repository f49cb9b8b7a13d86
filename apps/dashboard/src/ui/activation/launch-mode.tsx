import { Button, Group, Radio, Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useState } from "react";
import { useChange } from "../../platform/operations.ts";
import { Dialog } from "../dialogs/dialog.tsx";
import { RoleButton } from "../dialogs/role-button.tsx";
import long from "../look/long.module.css";
import { Problem } from "../problem.tsx";
import { words as shared } from "../words.ts";
import {
  type Activation,
  effectOf,
  type LaunchChoice,
  launchChoice,
  launchesAtOnce,
  modeText,
} from "./rules.ts";
import { words } from "./words.ts";

const CHOICES: readonly LaunchChoice[] = ["project", "automatic", "manual"];

type Props = { scope: string; name: string; activation: Activation };

function Form({ scope, activation, close }: Props & { close: () => void }) {
  const [choice, setChoice] = useState(launchChoice(activation));
  const changing = useChange(scope, "updateCampaignActivation", [
    ...(["getCampaignActivation", "listApprovals", "listAnnouncements", "getCampaign"] as const),
    ...(["getWaiting", "listAuditEntries"] as const),
  ]);
  const isSame = choice === launchChoice(activation);
  const save = (): void =>
    changing.mutate(
      {
        path: { id: activation.campaignId },
        body: { mode: choice === "project" ? null : choice, expectedRevision: activation.revision },
      },
      {
        onSuccess: (now) => {
          close();
          notifications.show({ message: modeText(now) });
        },
      },
    );
  return (
    <Stack>
      <Radio.Group
        aria-label={words.mode}
        value={choice}
        onChange={(chosen) => setChoice(CHOICES.find((each) => each === chosen) ?? "project")}
      >
        <Stack gap="sm" mt="xs">
          {CHOICES.map((each) => (
            <Radio
              key={each}
              value={each}
              label={words.choices[each]}
              description={
                each === "project" ? words.ofProject[activation.defaultMode] : words.choiceAbout[each]
              }
            />
          ))}
        </Stack>
      </Radio.Group>
      {!isSame && (
        <Text size="sm" fw={600} role="status">
          {effectOf(activation, choice)}
        </Text>
      )}
      {changing.error !== null && <Problem error={changing.error} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={close}>
          {shared.cancel}
        </Button>
        <Button disabled={isSame} loading={changing.isPending} onClick={save}>
          {launchesAtOnce(activation, choice) ? words.saveAndLaunch : words.save}
        </Button>
      </Group>
    </Stack>
  );
}

/** Whether a draft follows the launch policy of the project or has a mode of its own, which editors change. */
export function LaunchMode({ scope, name, activation }: Props) {
  const [isAsking, setAsking] = useState(false);
  const close = (): void => setAsking(false);
  return (
    <Group gap="sm" justify="space-between">
      <Text size="sm" className={long.long} maw="44rem">
        {modeText(activation)}
      </Text>
      <RoleButton
        scope={scope}
        needs={"editor" as const}
        variant="default"
        size="xs"
        onClick={() => setAsking(true)}
      >
        {words.changeMode}
      </RoleButton>
      <Dialog opened={isAsking} close={close} title={words.modeOf(name)}>
        <Form scope={scope} name={name} activation={activation} close={close} />
      </Dialog>
    </Group>
  );
}

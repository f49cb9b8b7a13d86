import { Button, Group, Stack, Text } from "@mantine/core";
import { ORGANIZATION } from "../../../platform/client.ts";
import { useChange } from "../../../platform/operations.ts";
import { useRequestKey } from "../../../platform/use-request-key.ts";
import { Dialog } from "../../../ui/dialogs/dialog.tsx";
import { SaveButton } from "../../../ui/form/save-button.tsx";
import { Rows } from "../../../ui/lists/rows.tsx";
import { Problem } from "../../../ui/problem.tsx";
import { type Drafts, type SettingChange, settingText } from "../rules.ts";
import { words } from "../words.ts";
import classes from "./values.module.css";

type Props = {
  scope: string;
  changes: readonly SettingChange[];
  drafts: Drafts;
  /** Id of the newest change that the person saw. */
  seen: number;
  close: () => void;
  saved: (count: number) => void;
  /** Shows a refusal at its setting; answers whether it names one. */
  refuse: (error: unknown) => boolean;
};

/** What will change, before it does. */
export function SettingsReview({ scope, changes, drafts, seen, close, saved, refuse }: Props) {
  const { headers, renew } = useRequestKey();
  const saving = useChange(scope, "changePeopleSettings", [
    "listPeopleSettings",
    "listSettingLog",
    "listAuditEntries",
    "getAgentActivity",
  ]);
  const save = (): void =>
    saving.mutate(
      {
        body: {
          changes: Object.fromEntries(changes.map(({ setting: { key } }) => [key, drafts[key] ?? ""])),
          seen,
        },
        // What is about no single project takes no such key: it has one effect by itself.
        ...(scope !== ORGANIZATION && { headers }),
      },
      {
        onSuccess: ({ changed }) => saved(changed.length),
        onError: (error) => {
          renew();
          refuse(error);
        },
      },
    );
  return (
    <Dialog opened close={close} title={words.reviewTitle}>
      <Stack>
        <Text>{words.reviewAbout}</Text>
        <Rows
          heads={[words.setting, words.before, words.after]}
          rows={changes.map(({ setting, before, after }) => ({
            id: setting.key,
            cells: [
              words.labels[setting.key] ?? setting.key,
              <span key="before" className={classes.value}>
                {settingText(setting, before, words)}
              </span>,
              <span key="after" className={classes.value}>
                {settingText(setting, after, words)}
              </span>,
            ],
          }))}
        />
        {saving.error !== null && <Problem error={saving.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            {words.back}
          </Button>
          <SaveButton isMain data-autofocus loading={saving.isPending} onClick={save}>
            {words.save}
          </SaveButton>
        </Group>
      </Stack>
    </Dialog>
  );
}

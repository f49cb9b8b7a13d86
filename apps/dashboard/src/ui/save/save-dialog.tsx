import { Button, Group, Radio, Stack, Text } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { Dialog } from "../dialogs/dialog.tsx";
import { RoleButton } from "../dialogs/role-button.tsx";
import { optionsOf } from "../options.ts";
import { Problem } from "../problem.tsx";
import { words } from "./words.ts";

export type Format = keyof typeof words.formats;

const formats = optionsOf(words.formats);

type Props = {
  scope: string;
  /** The role that it takes. */
  needs: "approver" | "owner";
  /** What the button says, the title of the question, and what the file will have. */
  label?: string;
  title?: string;
  about: ReactNode;
  /** Whether it is open without a click, as where the palette leads to it; `onClose` is called when it closes. */
  isWanted?: boolean;
  onClose?: () => void;
  /** The request for the file: whether it is under way, and what went wrong. */
  saving: { isPending: boolean; error: unknown; reset: () => void };
  /** Begins it, and calls `done` in the end. */
  save: (format: Format, done: () => void) => void;
};

/** A button that asks for the form of a file, and saves it. */
export function SaveDialog({
  scope,
  needs,
  label = words.save,
  title = words.title,
  about,
  isWanted = false,
  onClose,
  saving,
  save,
}: Props) {
  const [isAsking, setAsking] = useState(false);
  const [format, setFormat] = useState<Format>("csv");
  const close = (): void => {
    setAsking(false);
    onClose?.();
  };
  const open = (): void => {
    saving.reset();
    setAsking(true);
  };
  return (
    <>
      <RoleButton scope={scope} needs={needs} variant="default" onClick={open}>
        {label}
      </RoleButton>
      <Dialog opened={isAsking || isWanted} close={close} title={title}>
        <Stack>
          <Text>{about}</Text>
          <Radio.Group
            label={words.format}
            value={format}
            onChange={(chosen) => setFormat(chosen === "ndjson" ? "ndjson" : "csv")}
          >
            <Stack gap="xs" mt="xs">
              {formats.map(({ value, label: name }) => (
                <Radio key={value} value={value} label={name} />
              ))}
            </Stack>
          </Radio.Group>
          {saving.isPending && (
            <Text size="sm" c="dimmed">
              {words.stay}
            </Text>
          )}
          {saving.error !== null && <Problem error={saving.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              {words.cancel}
            </Button>
            <Button data-autofocus loading={saving.isPending} onClick={() => save(format, close)}>
              {words.now}
            </Button>
          </Group>
        </Stack>
      </Dialog>
    </>
  );
}

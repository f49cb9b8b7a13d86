import { Button, Group, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { Problem } from "../problem.tsx";
import { words } from "../words.ts";
import { Dialog } from "./dialog.tsx";

type Props = {
  opened: boolean;
  title: string;
  /** What the action means. */
  about: string;
  /** What the button says that acts. */
  action: string;
  /** It is easily taken back, so it is not red. */
  isMild?: boolean;
  act: () => void;
  close: () => void;
  /** The change that is asked about: it failed, or is under way. */
  change: { error: Error | null; isPending: boolean };
  /** What else is to be known. */
  children?: ReactNode;
};

/** Asks before something that is hard to take back. Enter alone leaves all as it is. */
export function ConfirmDialog({
  opened,
  title,
  about,
  action,
  isMild = false,
  act,
  close,
  change: { error, isPending },
  children,
}: Props) {
  return (
    <Dialog opened={opened} close={close} title={title}>
      <Stack>
        <Text>{about}</Text>
        {children}
        {error !== null && <Problem error={error} />}
        <Group justify="flex-end">
          <Button variant="default" data-autofocus onClick={close}>
            {words.cancel}
          </Button>
          <Button {...(!isMild && { color: "red" })} loading={isPending} onClick={act}>
            {action}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}

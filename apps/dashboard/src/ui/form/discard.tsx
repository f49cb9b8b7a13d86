import { Button, type ButtonProps } from "@mantine/core";
import { useState } from "react";
import { ConfirmDialog } from "../dialogs/confirm-dialog.tsx";
import { words } from "../words.ts";

type Props = ButtonProps & {
  /** What the button says. */
  label: string;
  /** Gives up what was written. */
  discard: () => void;
};

/** A button that gives up what a person has written. It asks first, because that cannot be had back. */
export function Discard({ label, discard, ...button }: Props) {
  const [isOpen, setOpen] = useState(false);
  const close = (): void => setOpen(false);
  const act = (): void => {
    close();
    discard();
  };
  return (
    <>
      <Button variant="default" {...button} onClick={() => setOpen(true)}>
        {label}
      </Button>
      <ConfirmDialog
        opened={isOpen}
        close={close}
        act={act}
        action={words.giveUp}
        title={words.giveUpTitle}
        about={words.giveUpAbout}
        change={{ error: null, isPending: false }}
      />
    </>
  );
}

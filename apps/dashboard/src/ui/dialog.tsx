import { Group, Modal } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./long.module.css";
import { words } from "./words.ts";

type Props = {
  opened: boolean;
  title: string;
  close: () => void;
  /** Asked while another dialog is open, so it lies above that one. */
  isAbove?: boolean;
  children: ReactNode;
};

const Z_INDEX = 200;

/** A question or a form above the page. Made of Mantine's parts, because its own heading would be a second banner of the page. */
export function Dialog({ opened, title, close, isAbove = false, children }: Props) {
  return (
    <Modal.Root opened={opened} onClose={close} zIndex={isAbove ? Z_INDEX + 1 : Z_INDEX}>
      <Modal.Overlay />
      <Modal.Content>
        <Group justify="space-between" p="md" wrap="nowrap">
          <Modal.Title fw={650} lh={1.3} className={classes.long ?? ""}>
            {title}
          </Modal.Title>
          <Modal.CloseButton aria-label={words.dismiss} />
        </Group>
        <Modal.Body>{children}</Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}

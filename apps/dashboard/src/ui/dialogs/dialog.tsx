import { Alert, Button, Group, Modal } from "@mantine/core";
import { type ReactNode, type SyntheticEvent, useRef, useState } from "react";
import classes from "../look/long.module.css";
import { words } from "../words.ts";

type Props = {
  opened: boolean;
  title: string;
  close: () => void;
  /** Asked while another dialog is open, so it lies above that one. */
  isAbove?: boolean;
  children: ReactNode;
};

const Z_INDEX = 200;

type Typed = HTMLInputElement | HTMLTextAreaElement;

/** Whether a person writes into a field. What they look for in the palette is no text that they would miss. */
const isText = (field: EventTarget): field is Typed =>
  field instanceof HTMLTextAreaElement ||
  (field instanceof HTMLInputElement &&
    ["text", "email", "url"].includes(field.type) &&
    field.getAttribute("role") !== "combobox");

/** Whether a dialog has fields in which a person has typed what would be lost with it. What was sent has no field any more. */
function useTyped(opened: boolean) {
  const fields = useRef(new Set<Typed>());
  const [isConfirming, setConfirming] = useState(false);
  const [wasOpened, setWasOpened] = useState(opened);
  if (wasOpened !== opened) {
    setWasOpened(opened);
    setConfirming(false);
  }
  return {
    isConfirming,
    setConfirming,
    hear({ target }: SyntheticEvent): void {
      if (isText(target)) fields.current.add(target);
    },
    hasText: (): boolean => [...fields.current].some(({ isConnected, value }) => isConnected && value !== ""),
  };
}

/** A question or a form above the page. Made of Mantine's parts, because its own heading would be a second banner of the page. */
export function Dialog({ opened, title, close, isAbove = false, children }: Props) {
  const typed = useTyped(opened);
  // A press beside the dialog or of Escape is easily made by mistake.
  const leave = (): void => (typed.hasText() && !typed.isConfirming ? typed.setConfirming(true) : close());
  return (
    <Modal.Root opened={opened} onClose={leave} zIndex={isAbove ? Z_INDEX + 1 : Z_INDEX}>
      <Modal.Overlay />
      <Modal.Content>
        <Group justify="space-between" p="md" wrap="nowrap">
          <Modal.Title fw={650} lh={1.3} className={classes.long ?? ""}>
            {title}
          </Modal.Title>
          <Modal.CloseButton aria-label={words.dismiss} />
        </Group>
        <Modal.Body onInput={typed.hear}>
          {typed.isConfirming && (
            <Alert color="yellow" title={words.closeTitle} role="alert" mb="md">
              <Group gap="xs">
                <Button variant="default" size="xs" onClick={close}>
                  {words.closeAnyway}
                </Button>
                <Button size="xs" onClick={() => typed.setConfirming(false)}>
                  {words.goOn}
                </Button>
              </Group>
            </Alert>
          )}
          {children}
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}

import { Group } from "@mantine/core";
import type { ReactNode } from "react";
import { Leaving } from "../dialogs/leaving.tsx";
import { Discard } from "./discard.tsx";
import { SaveButton } from "./save-button.tsx";

type Props = {
  form: {
    isUnsaved: () => boolean;
    isSaving: boolean;
    startOver: () => void;
    save: (act: () => Promise<void>) => Promise<void>;
  };
  label: string;
  /** Sends the form, and opens the page that comes next. */
  save: () => Promise<void>;
  /** What the button says that gives up what was written. */
  discard: string;
  disabled?: boolean;
  /** Why it cannot be saved now. */
  children?: ReactNode;
};

/** The buttons of a form that has a page of its own, and the question before a person leaves what is not saved. */
export function FormActions({ form, label, save, discard, disabled = false, children }: Props) {
  const { isUnsaved, isSaving, startOver } = form;
  return (
    <Group gap="xs">
      {isUnsaved() && <Discard label={discard} disabled={isSaving} discard={startOver} />}
      <SaveButton loading={isSaving} disabled={disabled} onClick={() => void form.save(save)}>
        {label}
      </SaveButton>
      {children}
      <Leaving isUnsaved={isUnsaved} save={async () => !isUnsaved()} />
    </Group>
  );
}

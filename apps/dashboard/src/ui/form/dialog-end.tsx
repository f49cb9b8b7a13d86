import { Button, Group } from "@mantine/core";
import { Problem } from "../problem.tsx";
import { words } from "../words.ts";
import { SaveButton } from "./save-button.tsx";

type Props = {
  /** The change that the form asks for: it was refused, or is under way. */
  change: { error: unknown; isPending: boolean };
  /** What the button says that sends the form. */
  action: string;
  close: () => void;
  /** Why it cannot be sent stands in the form. */
  disabled?: boolean;
  /** It is hard to take back. */
  isRed?: boolean;
  /** The form has no field that could have the focus first. */
  hasFocus?: boolean;
};

/** The end of a form in a dialog: what was refused, the way out, and the button that sends it. */
export function DialogEnd({
  change,
  action,
  close,
  disabled = false,
  isRed = false,
  hasFocus = false,
}: Props) {
  return (
    <>
      {change.error !== null && <Problem error={change.error} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={close}>
          {words.cancel}
        </Button>
        <SaveButton
          type="submit"
          {...(isRed && { color: "red" })}
          {...(hasFocus && { "data-autofocus": true })}
          loading={change.isPending}
          disabled={disabled}
        >
          {action}
        </SaveButton>
      </Group>
    </>
  );
}

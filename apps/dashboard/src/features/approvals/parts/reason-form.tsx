import { Stack, Text, TextInput } from "@mantine/core";
import { type FormEvent, type ReactNode, useState } from "react";
import { DialogEnd } from "../../../ui/form/dialog-end.tsx";
import { words } from "../words.ts";

type Props = {
  about: string;
  /** The most characters of the reason. */
  maxLength: number;
  isNeeded?: boolean;
  label: string;
  isRed?: boolean;
  isPending: boolean;
  error: unknown;
  /** Further fields, above the buttons. */
  children?: ReactNode;
  /** @param reason null where none was given */
  decide: (reason: string | null) => void;
  cancel: () => void;
};

/** Asks for the reason of a decision, then makes it. */
export function ReasonForm({ about, maxLength, isNeeded = false, label, isRed = false, ...form }: Props) {
  const { isPending, error, children, decide, cancel } = form;
  const [typed, setTyped] = useState("");
  const reason = typed.trim();
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    decide(reason === "" ? null : reason);
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text>{about}</Text>
        <TextInput
          label={words.why}
          description={isNeeded ? words.whyNeeded : words.whyAbout}
          value={typed}
          maxLength={maxLength}
          required={isNeeded}
          autoComplete="off"
          data-autofocus
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
        />
        {children}
        <DialogEnd
          change={{ error, isPending }}
          action={label}
          close={cancel}
          isRed={isRed}
          disabled={isNeeded && reason === ""}
        />
      </Stack>
    </form>
  );
}

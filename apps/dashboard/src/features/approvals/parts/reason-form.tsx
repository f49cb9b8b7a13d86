import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { type FormEvent, type ReactNode, useState } from "react";
import { Problem } from "../../../ui/problem.tsx";
import { SaveButton } from "../../../ui/save-button.tsx";
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
        {error !== null && <Problem error={error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={cancel}>
            {words.cancel}
          </Button>
          <SaveButton
            type="submit"
            {...(isRed && { color: "red" })}
            loading={isPending}
            disabled={isNeeded && reason === ""}
          >
            {label}
          </SaveButton>
        </Group>
      </Stack>
    </form>
  );
}

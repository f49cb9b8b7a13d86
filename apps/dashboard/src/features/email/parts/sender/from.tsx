import { Group, Stack, Textarea, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import type { FormEvent } from "react";
import { Problem } from "../../../../ui/problem.tsx";
import type { EmailSender, StepState } from "../../rules.ts";
import { words } from "../../words.ts";
import { Save, useIsOwner } from "./save.tsx";
import { SenderStep } from "./sender-step.tsx";
import { usePrepare } from "./use-prepare.ts";

type Props = { scope: string; sender: EmailSender; state: StepState };

const orNull = (typed: FormDataEntryValue | null): string | null => {
  const text = typeof typed === "string" ? typed.trim() : "";
  return text === "" ? null : text;
};

/** The step for whom mail comes from, and the postal address at its foot. */
export function FromStep({ scope, sender: { from, postalAddress }, state }: Props) {
  const { prepare, error, isPending } = usePrepare(scope);
  const readOnly = !useIsOwner(scope);
  const save = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const typed = new FormData(event.currentTarget);
    const changes = { from: orNull(typed.get("from")), postalAddress: orNull(typed.get("postalAddress")) };
    prepare(changes, () => notifications.show({ message: words.saved }));
  };
  return (
    <SenderStep number={1} title={words.senderStep} state={state} about={words.senderStepAbout}>
      {/* What was saved elsewhere takes the place of what stands in the fields. */}
      <form onSubmit={save} key={JSON.stringify([from, postalAddress])}>
        <Stack>
          <TextInput
            name="from"
            label={words.from}
            description={words.fromAbout}
            defaultValue={from ?? ""}
            maxLength={1_000}
            readOnly={readOnly}
          />
          <Textarea
            name="postalAddress"
            label={words.postalAddress}
            description={words.postalAbout}
            defaultValue={postalAddress ?? ""}
            maxLength={500}
            autosize
            minRows={2}
            maxRows={8}
            readOnly={readOnly}
          />
          {error !== null && <Problem error={error} />}
          <Group>
            <Save scope={scope} loading={isPending} />
          </Group>
        </Stack>
      </form>
    </SenderStep>
  );
}

import { Checkbox, Radio, Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useNavigate } from "@tanstack/react-router";
import type { Answer } from "@tidings/client";
import { type FormEvent, useState } from "react";
import { problemOf, reasonOf } from "../../../platform/client.ts";
import { useMe } from "../../../platform/me.ts";
import { useChange } from "../../../platform/operations.ts";
import { useRequestKey } from "../../../platform/use-request-key.ts";
import { Dialog } from "../../../ui/dialogs/dialog.tsx";
import { DialogEnd } from "../../../ui/form/dialog-end.tsx";
import { firstDraft, isArriving, isComplete, type SyncDraft, sentOf } from "../rules.ts";
import { words } from "../words.ts";
import { ListFields } from "./list-fields.tsx";
import { PlaceFields } from "./place-fields.tsx";

const FORMATS = ["parquet", "csv", "ndjson"] as const satisfies readonly SyncDraft["format"][];
const RHYTHMS = ["hour", "day"] as const satisfies readonly SyncDraft["every"][];

type ChoiceProps<Value extends string> = {
  label: string;
  values: readonly Value[];
  labels: Readonly<Record<Value, string>>;
  abouts: Readonly<Record<Value, string>>;
  value: Value;
  choose: (value: Value) => void;
};

/** One of a few, each with what it is for. */
const Choice = <Value extends string>({
  label,
  values,
  labels,
  abouts,
  value,
  choose,
}: ChoiceProps<Value>) => (
  <Radio.Group
    label={label}
    value={value}
    onChange={(chosen) => {
      const found = values.find((each) => each === chosen);
      if (found !== undefined) choose(found);
    }}
  >
    <Stack gap="xs" mt="xs">
      {values.map((each) => (
        <Radio key={each} value={each} label={labels[each]} description={abouts[each]} />
      ))}
    </Stack>
  </Radio.Group>
);

type Props = { scope: string; known: Answer<"listSyncs">; close: () => void };

/** Makes a sync, and opens its page. */
export function NewSync({ scope, known, close }: Props) {
  const { projects } = useMe();
  const [draft, setDraft] = useState(() =>
    firstDraft(projects.find(({ id }) => id === scope)?.name ?? "", known.syncs),
  );
  const { headers, renew } = useRequestKey();
  const navigate = useNavigate();
  const making = useChange(scope, "createSync", ["listSyncs"]);
  const change = (next: Partial<SyncDraft>): void => {
    setDraft({ ...draft, ...next });
    // What is sent now is another sync than the one that was refused.
    renew();
    if (making.error !== null) making.reset();
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    making.mutate(
      { body: sentOf(draft), headers },
      {
        onSuccess({ sync }) {
          notifications.show({ message: words.form.made });
          void navigate({ to: `/p/${scope}/syncs/${sync.id}` });
        },
      },
    );
  };
  const fault = making.error === null ? null : problemOf(making.error).message;
  return (
    <Dialog opened close={close} title={words.form.title}>
      <form onSubmit={submit}>
        <Stack>
          <ListFields lists={draft.lists} change={(lists) => change({ lists })} />
          <Choice
            label={words.form.format}
            values={FORMATS}
            labels={words.form.formats}
            abouts={words.form.formatsAbout}
            value={draft.format}
            choose={(format) => change({ format })}
          />
          {draft.lists.some(isArriving) && (
            <>
              <Choice
                label={words.form.every}
                values={RHYTHMS}
                labels={words.form.everies}
                abouts={words.form.everiesAbout}
                value={draft.every}
                choose={(every) => change({ every })}
              />
              <Checkbox
                label={words.form.history}
                description={words.form.historyAbout}
                checked={draft.history}
                onChange={() => change({ history: !draft.history })}
              />
            </>
          )}
          <PlaceFields
            place={draft.place}
            change={(place) => change({ place })}
            hasFolders={known.folders}
            fault={fault}
            reason={reasonOf(making.error)}
          />
          <Text size="sm" c="dimmed">
            {words.form.checks}
          </Text>
          <DialogEnd change={making} action={words.form.make} close={close} disabled={!isComplete(draft)} />
        </Stack>
      </form>
    </Dialog>
  );
}

import { Stack, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { type FormEvent, useState } from "react";
import { useChange } from "../../../platform/operations.ts";
import { Dialog } from "../../../ui/dialogs/dialog.tsx";
import { DialogEnd } from "../../../ui/form/dialog-end.tsx";
import { words } from "../words.ts";

type Props = { scope: string; sourceId: string; close: () => void };

const orNull = (typed: string): string | null => (typed.trim() === "" ? null : typed.trim());

/** Asks for an environment that campaigns have to wait for; one that is there already is confirmed anew. */
export function MappingForm({ scope, sourceId, close }: Props) {
  const [environment, setEnvironment] = useState("");
  const [place, setPlace] = useState("");
  const [follows, setFollows] = useState("");
  const confirming = useChange(scope, "confirmMapping", ["getSource", "listSources", "listAnnouncements"]);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    confirming.mutate(
      {
        path: { id: sourceId },
        body: { environment: environment.trim(), scope: orNull(place), follows: orNull(follows) },
      },
      {
        onSuccess: () => {
          notifications.show({ message: words.mapped });
          close();
        },
      },
    );
  };
  return (
    <Dialog opened close={close} title={words.mappingTitle}>
      <form onSubmit={submit}>
        <Stack>
          <TextInput
            label={words.environment}
            description={words.environmentAbout}
            required
            maxLength={128}
            data-autofocus
            value={environment}
            onChange={({ currentTarget }) => setEnvironment(currentTarget.value)}
          />
          <TextInput
            label={words.followsRef}
            description={words.followsAbout}
            maxLength={256}
            value={follows}
            onChange={({ currentTarget }) => setFollows(currentTarget.value)}
          />
          <TextInput
            label={words.scope}
            description={words.scopeAbout}
            maxLength={200}
            value={place}
            onChange={({ currentTarget }) => setPlace(currentTarget.value)}
          />
          <DialogEnd change={confirming} action={words.addMapping} close={close} />
        </Stack>
      </form>
    </Dialog>
  );
}

import { Stack } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { type FormEvent, type ReactNode, useState } from "react";
import { useChange } from "../../../platform/operations.ts";
import { Dialog } from "../../../ui/dialogs/dialog.tsx";
import { DialogEnd } from "../../../ui/form/dialog-end.tsx";
import { changeBody, connectBody, type SourceSetup, type TypedRepository } from "../rules.ts";
import { words } from "../words.ts";
import { SourceFields } from "./source-fields.tsx";

type FormProps = {
  title: string;
  submit: () => void;
  save: string;
  isPending: boolean;
  isReady: boolean;
  error: unknown;
  close: () => void;
  children: ReactNode;
};

function SourceDialog({ title, submit, save, isPending, isReady, error, close, children }: FormProps) {
  return (
    <Dialog opened close={close} title={title}>
      <form
        onSubmit={(event: FormEvent) => {
          event.preventDefault();
          submit();
        }}
      >
        <Stack>
          {children}
          <DialogEnd change={{ error, isPending }} action={save} close={close} disabled={!isReady} />
        </Stack>
      </form>
    </Dialog>
  );
}

const AT_FIRST: TypedRepository = {
  id: "",
  kind: "git",
  url: "",
  branch: "main",
  credential: "",
  knownHosts: "",
  dropsCredential: false,
  instructions: "",
  enabled: true,
  paused: false,
};

export function ConnectForm({ scope, close }: { scope: string; close: () => void }) {
  const [typed, setTyped] = useState(AT_FIRST);
  const connecting = useChange(scope, "connectSource", ["listSources", "listAnnouncements"]);
  const submit = (): void =>
    connecting.mutate(
      { body: connectBody(typed) },
      {
        onSuccess: () => {
          notifications.show({ message: words.connected });
          close();
        },
      },
    );
  return (
    <SourceDialog
      title={words.connectTitle}
      save={words.connect}
      submit={submit}
      close={close}
      error={connecting.error}
      isPending={connecting.isPending}
      isReady
    >
      <SourceFields typed={typed} change={setTyped} source="new" />
    </SourceDialog>
  );
}

export function ChangeForm({
  scope,
  setup,
  close,
}: {
  scope: string;
  setup: SourceSetup;
  close: () => void;
}) {
  const { source, instructions, hasCredential } = setup;
  // What is there when the form opens: a later answer must not change what "changed" means.
  const [before] = useState<TypedRepository>({
    ...AT_FIRST,
    id: source.id,
    kind: source.kind,
    url: source.repository,
    branch: source.branch,
    instructions,
    enabled: source.enabled,
    paused: source.paused,
  });
  const [typed, setTyped] = useState(before);
  const changing = useChange(scope, "changeSource", ["listSources", "getSource", "listAnnouncements"]);
  const body = changeBody(typed, before);
  const submit = (): void => {
    if (body === null) return;
    changing.mutate(
      { path: { id: source.id }, body },
      {
        onSuccess: () => {
          notifications.show({ message: words.changed });
          close();
        },
      },
    );
  };
  return (
    <SourceDialog
      title={words.changeTitle}
      save={words.save}
      submit={submit}
      close={close}
      error={changing.error}
      isPending={changing.isPending}
      isReady={body !== null}
    >
      <SourceFields typed={typed} change={setTyped} source={hasCredential ? "sealed" : "open"} />
    </SourceDialog>
  );
}

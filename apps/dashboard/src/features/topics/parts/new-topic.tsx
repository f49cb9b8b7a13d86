import { Stack } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { type FormEvent, useState } from "react";
import { problemOf } from "../../../platform/client.ts";
import { useChange } from "../../../platform/operations.ts";
import { useRequestKey } from "../../../platform/use-request-key.ts";
import { Dialog } from "../../../ui/dialogs/dialog.tsx";
import { DialogEnd } from "../../../ui/form/dialog-end.tsx";
import { NEW_TOPIC, type TopicDraft } from "../rules.ts";
import { words } from "../words.ts";
import { TopicFields } from "./topic-fields.tsx";

/** Makes a topic. */
export function NewTopic({ scope, close }: { scope: string; close: () => void }) {
  const [draft, setDraft] = useState(NEW_TOPIC);
  const { headers, renew } = useRequestKey();
  const making = useChange(scope, "createTopic", ["listTopics"]);
  const change = (next: TopicDraft): void => {
    setDraft(next);
    // What is sent now is another topic than the one that was refused.
    renew();
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    making.mutate(
      { body: draft, headers },
      {
        onSuccess() {
          notifications.show({ message: words.made });
          close();
        },
      },
    );
  };
  return (
    <Dialog opened close={close} title={words.makeTitle}>
      <form onSubmit={submit}>
        <Stack>
          <TopicFields
            draft={draft}
            change={change}
            isNew
            fault={making.error === null ? null : problemOf(making.error).message}
          />
          <DialogEnd
            change={making}
            action={words.makeNow}
            close={close}
            disabled={draft.name.trim() === "" || draft.key === ""}
          />
        </Stack>
      </form>
    </Dialog>
  );
}

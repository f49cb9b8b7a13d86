import { Stack } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { type FormEvent, useState } from "react";
import { problemOf } from "../../../platform/client.ts";
import { useChange } from "../../../platform/operations.ts";
import { Dialog } from "../../../ui/dialogs/dialog.tsx";
import { DialogEnd } from "../../../ui/form/dialog-end.tsx";
import type { Topic, TopicDraft } from "../rules.ts";
import { words } from "../words.ts";
import { TopicFields } from "./topic-fields.tsx";

type Props = { scope: string; topic: Topic; close: () => void };

/** Changes what readers see of a topic, and how they join it. */
export function ChangeTopic({ scope, topic, close }: Props) {
  const [draft, setDraft] = useState<TopicDraft>(topic);
  const changing = useChange(scope, "updateTopic", ["listTopics"]);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const { name, description, doubleOptIn, max, days } = draft;
    changing.mutate(
      { path: { id: topic.id }, body: { name, description, doubleOptIn, max, days } },
      {
        onSuccess() {
          notifications.show({ message: words.saved });
          close();
        },
      },
    );
  };
  return (
    <Dialog opened close={close} title={words.editTitle(topic.name)}>
      <form onSubmit={submit}>
        <Stack>
          <TopicFields
            draft={draft}
            change={setDraft}
            isNew={false}
            fault={changing.error === null ? null : problemOf(changing.error).message}
          />
          <DialogEnd
            change={changing}
            action={words.save}
            close={close}
            disabled={draft.name.trim() === ""}
          />
        </Stack>
      </form>
    </Dialog>
  );
}

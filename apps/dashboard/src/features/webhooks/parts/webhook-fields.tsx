import { Stack, Text, TextInput } from "@mantine/core";
import { faultAt } from "../../../platform/faults.ts";
import { type TypeChoice, typesOf, type Webhook } from "../rules.ts";
import { words } from "../words.ts";
import { TypeFields } from "./type-fields.tsx";

/** What a person writes of a webhook. */
export type WebhookDraft = { url: string; description: string; choice: TypeChoice };

export const isComplete = ({ url, choice }: WebhookDraft): boolean =>
  url.trim() !== "" && typesOf(choice).length > 0;

/** The draft as a request has it. */
export const sentOf = ({
  url,
  description,
  choice,
}: WebhookDraft): Pick<Webhook, "url" | "description" | "types"> => ({
  url: url.trim(),
  description: description.trim() === "" ? null : description.trim(),
  types: typesOf(choice),
});

type Props = {
  draft: WebhookDraft;
  change: (draft: WebhookDraft) => void;
  /** What the server says of it; null where it was not asked, or has taken it. */
  fault: string | null;
};

/** The fields of a webhook. */
export const WebhookFields = ({ draft, change, fault }: Props) => (
  <Stack>
    <TextInput
      label={words.form.url}
      description={words.form.urlAbout}
      type="url"
      required
      maxLength={2_048}
      data-autofocus
      value={draft.url}
      error={fault === null ? undefined : faultAt(fault, "url")}
      onChange={({ currentTarget }) => change({ ...draft, url: currentTarget.value })}
    />
    <TextInput
      label={words.form.description}
      description={words.form.descriptionAbout}
      maxLength={200}
      value={draft.description}
      error={fault === null ? undefined : faultAt(fault, "description")}
      onChange={({ currentTarget }) => change({ ...draft, description: currentTarget.value })}
    />
    <TypeFields choice={draft.choice} change={(choice) => change({ ...draft, choice })} />
    {typesOf(draft.choice).length === 0 && (
      <Text size="sm" c="dimmed">
        {words.form.noType}
      </Text>
    )}
  </Stack>
);

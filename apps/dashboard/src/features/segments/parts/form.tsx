import { Stack, Textarea, TextInput } from "@mantine/core";
import { faultAt } from "../../../platform/faults.ts";
import { Section } from "../../../ui/section.tsx";
import { renameDraft, type SegmentDraft } from "../rules.ts";
import { words } from "../words.ts";
import { RuleFields } from "./rule-fields.tsx";

type Props = {
  scope: string;
  draft: SegmentDraft;
  change: (draft: SegmentDraft) => void;
  /** Why the server has not taken it; null where it has, or was not asked. */
  fault: string | null;
  /** Whether its rule can be written: that of an archived segment stays as it is. */
  hasRule?: boolean;
};

/** All that a person writes of a segment. */
export function SegmentForm({ scope, draft, change, fault, hasRule = true }: Props) {
  const { name, key, description, reason, base } = draft;
  return (
    <Stack gap="lg" maw="56rem">
      <TextInput
        label={words.name}
        description={words.nameAbout}
        maxLength={80}
        value={name}
        error={faultAt(fault, "name")}
        onChange={({ currentTarget }) => change(renameDraft(draft, currentTarget.value))}
      />
      {base === null && (
        <TextInput
          label={words.key}
          description={words.keyAbout}
          maxLength={64}
          value={key}
          error={faultAt(fault, "key")}
          onChange={({ currentTarget }) =>
            change({ ...draft, key: currentTarget.value, isOwnKey: currentTarget.value !== "" })
          }
        />
      )}
      <Textarea
        label={words.description}
        description={words.descriptionAbout}
        value={description}
        autosize
        minRows={2}
        maxLength={1_000}
        error={faultAt(fault, "description")}
        onChange={({ currentTarget }) => change({ ...draft, description: currentTarget.value })}
      />
      {hasRule && (
        <>
          <Section title={words.rule} isFramed>
            <RuleFields scope={scope} draft={draft} change={change} wasTried={fault !== null} />
          </Section>
          <TextInput
            label={words.reason}
            description={words.reasonAbout}
            maxLength={500}
            value={reason}
            error={faultAt(fault, "reason")}
            onChange={({ currentTarget }) => change({ ...draft, reason: currentTarget.value })}
          />
        </>
      )}
    </Stack>
  );
}

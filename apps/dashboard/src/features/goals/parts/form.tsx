import { Radio, SimpleGrid, Stack, Textarea, TextInput } from "@mantine/core";
import { useId } from "react";
import { faultAt } from "../../../platform/faults.ts";
import { useOperation } from "../../../platform/operations.ts";
import { Failed } from "../../../ui/loaded.tsx";
import { Section } from "../../../ui/section.tsx";
import type { GoalDraft } from "../rules.ts";
import { words } from "../words.ts";
import { GuardrailFields } from "./guardrail-fields.tsx";

type Props = {
  scope: string;
  draft: GoalDraft;
  change: (draft: GoalDraft) => void;
  /** Why the server has not taken it; null where it has, or was not asked. */
  fault: string | null;
};

/** The event that means success: any name, with those that exist to choose from. */
function EventField({ scope, draft, change, fault }: Props) {
  const id = useId();
  const capabilities = useOperation(scope, "getAudienceCapabilities", {}, { refetchInterval: false });
  return (
    <>
      <TextInput
        label={words.fields.targetEvent}
        description={words.targetEventAbout}
        list={`${id}-events`}
        maxLength={80}
        value={draft.targetEvent}
        error={faultAt(fault, "targetEvent")}
        onChange={({ currentTarget }) => change({ ...draft, targetEvent: currentTarget.value })}
      />
      <datalist id={`${id}-events`}>
        {capabilities.data?.capabilities.events.map(({ name }) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <Failed query={capabilities} />
    </>
  );
}

function Measuring(props: Props) {
  const { draft, change, fault } = props;
  return (
    <Section title={words.measuring} isFramed>
      <EventField {...props} />
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <TextInput
          label={words.fields.attributionDays}
          description={words.attributionAbout}
          inputMode="numeric"
          value={draft.attributionDays}
          error={faultAt(fault, "attributionDays")}
          onChange={({ currentTarget }) => change({ ...draft, attributionDays: currentTarget.value })}
        />
        <TextInput
          label={words.fields.holdoutPercent}
          description={words.holdoutAbout}
          inputMode="numeric"
          value={draft.holdoutPercent}
          error={faultAt(fault, "holdoutPercent")}
          onChange={({ currentTarget }) => change({ ...draft, holdoutPercent: currentTarget.value })}
        />
      </SimpleGrid>
      <Radio.Group
        label={words.fields.approvalMode}
        value={draft.approvalMode}
        onChange={(mode) => change({ ...draft, approvalMode: mode === "auto" ? "auto" : "require_human" })}
      >
        <Stack gap="xs" mt="xs">
          <Radio value="require_human" label={words.modes.require_human} />
          <Radio value="auto" label={words.modes.auto} />
        </Stack>
      </Radio.Group>
    </Section>
  );
}

/** All that a person writes of a goal. */
export function GoalForm(props: Props) {
  const { draft, change, fault } = props;
  return (
    <Stack gap="lg" maw="56rem">
      <TextInput
        label={words.fields.name}
        maxLength={80}
        value={draft.name}
        error={faultAt(fault, "name")}
        onChange={({ currentTarget }) => change({ ...draft, name: currentTarget.value })}
      />
      <Textarea
        label={words.fields.description}
        description={words.descriptionAbout}
        autosize
        minRows={2}
        maxLength={1_000}
        value={draft.description}
        error={faultAt(fault, "description")}
        onChange={({ currentTarget }) => change({ ...draft, description: currentTarget.value })}
      />
      <Measuring {...props} />
      <Section title={words.guardrailsTitle} isFramed>
        <GuardrailFields
          fields={draft.guardrails}
          change={(guardrails) => change({ ...draft, guardrails })}
          faultOf={(field) => faultAt(fault, field)}
        />
      </Section>
    </Stack>
  );
}

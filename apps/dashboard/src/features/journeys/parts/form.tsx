import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { faultAt } from "../../../platform/faults.ts";
import { replaced } from "../../../ui/audience/tree.pure.ts";
import { GoalField } from "../../../ui/goals/goal-field.tsx";
import { Section } from "../../../ui/section.tsx";
import { idsOf, mayAdd, movedStep, type StepDraft, type StepKind, withNewStep, withWays } from "../draft.ts";
import { faultOfStep } from "../rules.ts";
import { words } from "../words.ts";
import { draftTitle } from "./draft-title.ts";
import { EntryFields } from "./entry-fields.tsx";
import { ExitFields } from "./exit-fields.tsx";
import type { FormProps } from "./form-props.ts";
import { StepFields } from "./step-fields.tsx";

const { form } = words;
const KINDS: readonly StepKind[] = ["send", "wait", "if", "split", "end"];
/** The most steps of a journey. */
const MOST = 30;

function Steps({ scope, draft, change, fault }: FormProps) {
  const { steps } = draft;
  const ids = idsOf(draft);
  const write = (next: readonly StepDraft[]): void => change({ ...draft, steps: withWays(next) });
  return (
    <Section title={form.steps} about={form.stepsAbout} isFramed>
      {steps.map((step, index) => (
        <StepFields
          key={step.key}
          scope={scope}
          step={step}
          steps={steps}
          id={ids.get(step.key) ?? ""}
          wasLaunched={draft.wasLaunched}
          index={index}
          titleOf={(each) => draftTitle(each, steps)}
          fault={faultOfStep(fault, index)}
          change={(changed) => write(replaced(steps, index, changed))}
          move={(by) => write(movedStep(steps, index, by))}
          remove={() => write(replaced(steps, index, null))}
        />
      ))}
      {faultAt(fault, "steps") !== undefined && (
        <Text size="sm" c="var(--mantine-color-error)">
          {faultAt(fault, "steps")}
        </Text>
      )}
      {steps.length < MOST && (
        <Group gap="xs" role="group" aria-label={form.addStep}>
          <Text size="sm">{form.addStep}</Text>
          {KINDS.filter((kind) => mayAdd(draft, kind)).map((kind) => (
            <Button
              key={kind}
              size="compact-sm"
              variant="light"
              onClick={() => write(withNewStep(steps, kind))}
            >
              {form.kinds[kind]}
            </Button>
          ))}
        </Group>
      )}
    </Section>
  );
}

/** All that a person writes of a journey. */
export function JourneyForm(props: FormProps) {
  const { scope, draft, change, fault } = props;
  return (
    <Stack gap="lg" maw="56rem">
      <TextInput
        label={form.name}
        description={form.nameAbout}
        maxLength={80}
        value={draft.name}
        error={faultAt(fault, "name")}
        onChange={({ currentTarget }) => change({ ...draft, name: currentTarget.value })}
      />
      <GoalField
        scope={scope}
        goalId={draft.goalId}
        description={form.goalAbout}
        error={faultAt(fault, "goalId")}
        change={(goalId) => change({ ...draft, goalId })}
      />
      <EntryFields {...props} />
      <Steps {...props} />
      <ExitFields {...props} />
    </Stack>
  );
}

import { Button, Checkbox, CloseButton, Group } from "@mantine/core";
import { replaced } from "../../../ui/audience/tree.pure.ts";
import { Section } from "../../../ui/section.tsx";
import type { EventRule } from "../draft.ts";
import { faultOfExit } from "../rules.ts";
import { words } from "../words.ts";
import { EventRuleField } from "./event-rule.tsx";
import type { FormProps } from "./form-props.ts";

/** The most events by which users leave. */
const MOST = 5;

const { form } = words;

/** What ends a journey for a user before its last step. */
export function ExitFields({ scope, draft, change, fault }: FormProps) {
  const { exits } = draft;
  const replace = (index: number, rule: EventRule | null): void =>
    change({ ...draft, exits: replaced(exits, index, rule) });
  return (
    <Section title={form.exits} isFramed>
      <Checkbox
        label={form.onGoal}
        checked={draft.onGoal}
        onChange={({ currentTarget }) => change({ ...draft, onGoal: currentTarget.checked })}
      />
      {exits.map((rule, index) => (
        <Group
          // biome-ignore lint/suspicious/noArrayIndexKey: events have no names of their own, and the number of them makes the rest anew.
          key={`${exits.length}-${index}`}
          align="flex-start"
          justify="space-between"
          wrap="nowrap"
        >
          <EventRuleField
            scope={scope}
            rule={rule}
            fault={faultOfExit(fault, index)}
            change={(changed) => replace(index, changed)}
          />
          <CloseButton aria-label={form.removeExit} onClick={() => replace(index, null)} />
        </Group>
      ))}
      {exits.length < MOST && (
        <div>
          <Button
            size="compact-sm"
            variant="light"
            onClick={() => change({ ...draft, exits: [...exits, { event: "" }] })}
          >
            {form.addExit}
          </Button>
        </div>
      )}
    </Section>
  );
}

import { Radio, Stack, TextInput } from "@mantine/core";
import { faultAt } from "../../../platform/faults.ts";
import { AudienceFields } from "../../../ui/audience/fields.tsx";
import { TimeOfDay } from "../../../ui/campaigns/time-of-day.tsx";
import { Section } from "../../../ui/section.tsx";
import type { WayIn } from "../draft.ts";
import { faultBehind } from "../rules.ts";
import { words } from "../words.ts";
import { EventRuleField } from "./event-rule.tsx";
import type { FormProps } from "./form-props.ts";

const { form } = words;
const WAYS_IN: readonly WayIn[] = ["event", "audience", "schedule", "request"];

/** How users come in, which of them may, and whether more than once. */
export function EntryFields({ scope, draft, change, fault }: FormProps) {
  return (
    <>
      <Section title={form.entry} isFramed>
        <Radio.Group
          aria-label={form.entry}
          value={draft.entry}
          onChange={(entry) => change({ ...draft, entry: WAYS_IN.find((way) => way === entry) ?? "event" })}
        >
          <Stack gap="xs">
            <Radio value="event" label={form.byEvent} />
            <Radio value="audience" label={form.byAudience} />
            <Radio value="schedule" label={form.bySchedule} />
            <Radio value="request" label={form.byCode} />
          </Stack>
        </Radio.Group>
        {draft.entry === "event" && (
          <EventRuleField
            scope={scope}
            rule={draft.enteredBy}
            fault={faultBehind(fault, "entry")}
            change={(enteredBy) => change({ ...draft, enteredBy })}
          />
        )}
        {draft.entry === "schedule" && (
          <>
            <TimeOfDay
              time={draft.schedule}
              field="entry"
              isOfZone
              faultOf={(field) => faultAt(fault, field) ?? undefined}
              change={(schedule) => change({ ...draft, schedule: { ...draft.schedule, ...schedule } })}
            />
            <TextInput
              label={form.monthDays}
              description={form.monthDaysAbout}
              maw="14rem"
              value={draft.schedule.monthDays}
              error={faultAt(fault, "entry.monthDays")}
              onChange={({ currentTarget }) =>
                change({ ...draft, schedule: { ...draft.schedule, monthDays: currentTarget.value } })
              }
            />
          </>
        )}
        <Radio.Group
          label={form.again}
          value={draft.isAgain ? "after" : "never"}
          onChange={(again) => change({ ...draft, isAgain: again === "after" })}
        >
          <Stack gap="xs" mt="xs">
            <Radio value="never" label={form.never} />
            <Radio value="after" label={form.afterDays} />
          </Stack>
        </Radio.Group>
        {draft.isAgain && (
          <TextInput
            label={form.days}
            inputMode="numeric"
            maw="14rem"
            value={draft.againDays}
            error={faultAt(fault, "again.afterDays") ?? faultAt(fault, "again")}
            onChange={({ currentTarget }) => change({ ...draft, againDays: currentTarget.value })}
          />
        )}
      </Section>
      <Section title={form.allowed} isFramed>
        <AudienceFields
          scope={scope}
          audience={draft.audience}
          fault={faultBehind(fault, "audience") ?? undefined}
          wasTried={fault !== null}
          change={(audience) => change({ ...draft, audience })}
        />
      </Section>
    </>
  );
}

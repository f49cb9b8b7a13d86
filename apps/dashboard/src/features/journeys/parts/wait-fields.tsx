import { Checkbox, Group, NativeSelect, Stack, TextInput } from "@mantine/core";
import { useId } from "react";
import { useOperation } from "../../../platform/operations.ts";
import { HourFields, TimeOfDay } from "../../../ui/campaigns/time-of-day.tsx";
import { optionsOf } from "../../../ui/options.ts";
import type { DateDraft, Unit, WaitDraft, WayToWait } from "../draft.ts";
import { faultAtAny, faultBehind } from "../rules.ts";
import { words } from "../words.ts";
import { EventRuleField } from "./event-rule.tsx";

const { form } = words;

type Props = {
  scope: string;
  step: WaitDraft;
  /** What the server says of it, without its place; null where it is about another part. */
  fault: string | null;
  change: (step: WaitDraft) => void;
};

/** What the server calls the fields of a wait. */
const FIELDS = [
  "for.amount",
  "for",
  "amount",
  "until.at",
  "until.zone",
  "until.weekdays",
  "date.trait",
  "date.days",
  "date.at",
  "date.zone",
] as const;

/** Whether what the server says of a wait stands at one of its fields. */
export const isFaultOfWait = (fault: string, { orEvent }: WaitDraft): boolean =>
  faultAtAny(fault, FIELDS) !== undefined || (orEvent !== null && faultBehind(fault, "orEvent") !== null);

const SpanFields = ({ step, fault, change }: Props) => (
  <Group align="flex-start">
    <TextInput
      label={form.amount}
      inputMode="numeric"
      w="8rem"
      value={step.amount}
      error={faultAtAny(fault, ["for.amount", "for", "amount"])}
      onChange={({ currentTarget }) => change({ ...step, amount: currentTarget.value })}
    />
    <NativeSelect
      label={form.unit}
      data={optionsOf(form.units)}
      value={step.unit}
      onChange={({ currentTarget }) => change({ ...step, unit: currentTarget.value as Unit })}
    />
  </Group>
);

function DateFields({ scope, step, fault, change }: Props) {
  const id = useId();
  const capabilities = useOperation(scope, "getAudienceCapabilities", {}, { refetchInterval: false });
  const { date } = step;
  const write = (changed: DateDraft): void => change({ ...step, date: changed });
  const faultOf = (field: string): string | undefined => faultAtAny(fault, [field]);
  return (
    <>
      <TextInput
        label={form.trait}
        description={form.traitAbout}
        list={`${id}-traits`}
        maxLength={128}
        maw="24rem"
        value={date.trait}
        error={faultOf("date.trait")}
        onChange={({ currentTarget }) => write({ ...date, trait: currentTarget.value })}
      />
      <datalist id={`${id}-traits`}>
        {capabilities.data?.capabilities.traits.map(({ key }) => (
          <option key={key} value={key} />
        ))}
      </datalist>
      <Group align="flex-start">
        <TextInput
          label={form.daysOf}
          inputMode="numeric"
          w="8rem"
          value={date.days}
          error={faultOf("date.days")}
          onChange={({ currentTarget }) => write({ ...date, days: currentTarget.value })}
        />
        <NativeSelect
          label={form.side}
          data={optionsOf(form.sides)}
          value={date.side}
          onChange={({ currentTarget }) => write({ ...date, side: currentTarget.value as DateDraft["side"] })}
        />
      </Group>
      <HourFields time={date} field="date" faultOf={faultOf} change={write} />
      <Checkbox
        label={form.yearly}
        checked={date.yearly}
        onChange={({ currentTarget }) => write({ ...date, yearly: currentTarget.checked })}
      />
    </>
  );
}

/** How a wait ends: after a time, at one of the day, or at a date of the user's; and by which event sooner. */
export function WaitFields(props: Props) {
  const { scope, step, fault, change } = props;
  const { way, until, orEvent } = step;
  return (
    <Stack gap="sm">
      <NativeSelect
        label={form.way}
        data={optionsOf(form.ways)}
        maw="24rem"
        value={way}
        onChange={({ currentTarget }) => change({ ...step, way: currentTarget.value as WayToWait })}
      />
      {way === "for" && <SpanFields {...props} />}
      {way === "until" && (
        <TimeOfDay
          time={until}
          field="until"
          faultOf={(field) => faultAtAny(fault, [field])}
          change={(changed) => change({ ...step, until: changed })}
        />
      )}
      {way === "date" && <DateFields {...props} />}
      <Checkbox
        label={form.sooner}
        checked={orEvent !== null}
        onChange={({ currentTarget }) =>
          change({ ...step, orEvent: currentTarget.checked ? { event: "" } : null })
        }
      />
      {orEvent !== null && (
        <EventRuleField
          scope={scope}
          rule={orEvent}
          fault={faultBehind(fault, "orEvent")}
          change={(rule) => change({ ...step, orEvent: rule })}
        />
      )}
    </Stack>
  );
}

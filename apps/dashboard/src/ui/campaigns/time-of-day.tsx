import { Checkbox, Group, NativeSelect, TextInput } from "@mantine/core";
import {
  type HourOfCampaign,
  READERS_ZONE,
  timeOfDayWords,
  WEEKDAYS,
  weekdayNames,
  weekdaysInOrder,
} from "./timing-words.ts";

/** A time of the day, and whose clocks show it. */
type Hour = Pick<HourOfCampaign, "at" | "zone">;

type Props<Time> = {
  time: Time;
  /** The field of the API that has it, such as `sendTime`. */
  field: string;
  /** Whether it is one hour for all, and not that of each reader. */
  isOfZone?: boolean;
  faultOf: (field: string) => string | undefined;
  change: (time: Time) => void;
};

/** The zones that the browser knows, with the one that is chosen. */
const zonesWith = (zone: string): string[] => [
  ...new Set(["UTC", ...(zone === READERS_ZONE ? [] : [zone]), ...Intl.supportedValuesOf("timeZone")]),
];

/** The time of the day, in which zone. */
export const HourFields = <Time extends Hour>({
  time,
  field,
  isOfZone = false,
  faultOf,
  change,
}: Props<Time>) => (
  <Group align="flex-start">
    <TextInput
      name={`${field}.at`}
      type="time"
      label={timeOfDayWords.at}
      value={time.at}
      error={faultOf(`${field}.at`)}
      onChange={({ currentTarget }) => change({ ...time, at: currentTarget.value })}
    />
    <NativeSelect
      name={`${field}.zone`}
      label={timeOfDayWords.zone}
      data={
        isOfZone
          ? zonesWith(time.zone)
          : [
              { value: READERS_ZONE, label: timeOfDayWords.readersZone },
              { group: timeOfDayWords.oneZone, items: zonesWith(time.zone) },
            ]
      }
      value={time.zone}
      error={faultOf(`${field}.zone`)}
      onChange={({ currentTarget }) => change({ ...time, zone: currentTarget.value })}
    />
  </Group>
);

/** The time of the day, in which zone, and on which days. */
export function TimeOfDay({ time, field, isOfZone = false, faultOf, change }: Props<HourOfCampaign>) {
  const { weekdays = [], ...everyDay } = time;
  return (
    <>
      <HourFields time={time} field={field} isOfZone={isOfZone} faultOf={faultOf} change={change} />
      <Checkbox.Group
        label={timeOfDayWords.weekdays}
        description={timeOfDayWords.weekdaysAbout}
        error={faultOf(`${field}.weekdays`)}
        value={weekdays}
        onChange={(chosen) => {
          const days = weekdaysInOrder(WEEKDAYS.filter((day) => chosen.includes(day)));
          change(days.length === 0 ? everyDay : { ...everyDay, weekdays: days });
        }}
      >
        <Group gap="md" my="xs">
          {WEEKDAYS.map((day) => (
            <Checkbox key={day} value={day} label={weekdayNames[day]} />
          ))}
        </Group>
      </Checkbox.Group>
    </>
  );
}

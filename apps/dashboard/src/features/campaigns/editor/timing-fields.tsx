import { Checkbox, Group, NativeSelect, Radio, Stack, TextInput } from "@mantine/core";
import {
  type HourOfCampaign,
  READERS_ZONE,
  WEEKDAYS,
  weekdayNames,
  weekdaysInOrder,
} from "../../../ui/campaigns/timing-words.ts";
import { optionsOf } from "../../../ui/options.ts";
import type { CampaignDraft } from "./draft.ts";
import { words } from "./words.ts";

type Props = {
  draft: CampaignDraft;
  faultOf: (field: string) => string | undefined;
  change: (draft: CampaignDraft) => void;
};

const MORNING: HourOfCampaign = { at: "09:00", zone: READERS_ZONE };

/** The zones that the browser knows, with the one that is chosen. */
const zonesWith = (zone: string): string[] => [
  ...new Set(["UTC", ...(zone === READERS_ZONE ? [] : [zone]), ...Intl.supportedValuesOf("timeZone")]),
];

type TimeProps = Pick<Props, "faultOf"> & {
  sendTime: HourOfCampaign;
  change: (sendTime: HourOfCampaign) => void;
};

/** The time of the day, in which zone, and on which days. */
function TimeOfDay({ sendTime, faultOf, change }: TimeProps) {
  const { weekdays = [], ...everyDay } = sendTime;
  return (
    <>
      <Group align="flex-start">
        <TextInput
          name="sendTime.at"
          type="time"
          label={words.timing.at}
          value={sendTime.at}
          error={faultOf("sendTime.at")}
          onChange={({ currentTarget }) => change({ ...sendTime, at: currentTarget.value })}
        />
        <NativeSelect
          name="sendTime.zone"
          label={words.timing.zone}
          data={[
            { value: READERS_ZONE, label: words.timing.readersZone },
            { group: words.timing.oneZone, items: zonesWith(sendTime.zone) },
          ]}
          value={sendTime.zone}
          error={faultOf("sendTime.zone")}
          onChange={({ currentTarget }) => change({ ...sendTime, zone: currentTarget.value })}
        />
      </Group>
      <Checkbox.Group
        label={words.timing.weekdays}
        description={words.timing.weekdaysAbout}
        error={faultOf("sendTime.weekdays")}
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

/** When the messages of an email or push campaign leave, and what may have them wait. */
export function TimingFields({ draft, faultOf, change }: Props) {
  const { sendTime, priority, patienceHours, urgent } = draft;
  return (
    <Stack>
      <Radio.Group
        label={words.timing.leaves}
        error={faultOf("sendTime")}
        value={sendTime === null ? "once" : "hour"}
        onChange={(value) => change({ ...draft, sendTime: value === "hour" ? MORNING : null })}
      >
        <Stack gap="xs" mt="xs">
          <Radio value="once" label={words.timing.atOnce} description={words.timing.atOnceAbout} />
          <Radio value="hour" label={words.timing.atHour} description={words.timing.atHourAbout} />
        </Stack>
      </Radio.Group>
      {sendTime !== null && (
        <TimeOfDay
          sendTime={sendTime}
          faultOf={faultOf}
          change={(changed) => change({ ...draft, sendTime: changed })}
        />
      )}
      <NativeSelect
        name="priority"
        label={words.timing.priority}
        description={words.timing.priorityAbout}
        data={optionsOf(words.timing.priorities)}
        value={String(priority)}
        error={faultOf("priority")}
        onChange={({ currentTarget }) => change({ ...draft, priority: Number(currentTarget.value) })}
      />
      <TextInput
        name="patienceHours"
        type="number"
        min={1}
        max={720}
        label={words.timing.patience}
        description={words.timing.patienceAbout}
        value={patienceHours === 0 ? "" : patienceHours}
        error={faultOf("patienceHours")}
        onChange={({ currentTarget: { valueAsNumber } }) =>
          change({ ...draft, patienceHours: Number.isNaN(valueAsNumber) ? 0 : valueAsNumber })
        }
      />
      <Checkbox
        name="urgent"
        label={words.timing.urgent}
        description={words.timing.urgentAbout}
        checked={urgent}
        error={faultOf("urgent")}
        onChange={({ currentTarget }) => change({ ...draft, urgent: currentTarget.checked })}
      />
    </Stack>
  );
}

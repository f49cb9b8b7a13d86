import { Checkbox, NativeSelect, Radio, Stack, TextInput } from "@mantine/core";
import { TimeOfDay } from "../../../ui/campaigns/time-of-day.tsx";
import { MORNING } from "../../../ui/campaigns/timing-words.ts";
import { optionsOf } from "../../../ui/options.ts";
import type { CampaignDraft } from "./draft.ts";
import { words } from "./words.ts";

type Props = {
  draft: CampaignDraft;
  faultOf: (field: string) => string | undefined;
  change: (draft: CampaignDraft) => void;
};

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
          time={sendTime}
          field="sendTime"
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

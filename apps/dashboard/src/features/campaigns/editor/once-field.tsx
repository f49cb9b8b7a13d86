import { Radio, Stack } from "@mantine/core";
import { describeOnce, onceWords } from "../../../ui/campaigns/once-words.ts";

type Props = { once: boolean; fault: string | undefined; change: (once: boolean) => void };

/** Whether the campaign ends by itself with the users who match now, or goes on to those who match later. */
export const OnceField = ({ once, fault, change }: Props) => (
  <Radio.Group
    label={onceWords.field}
    error={fault}
    value={String(once)}
    onChange={(value) => change(value === "true")}
  >
    <Stack gap="xs" mt="xs">
      {[true, false].map((each) => (
        <Radio
          key={String(each)}
          value={String(each)}
          label={describeOnce(each)}
          description={onceWords.about[each ? "once" : "onward"]}
        />
      ))}
    </Stack>
  </Radio.Group>
);

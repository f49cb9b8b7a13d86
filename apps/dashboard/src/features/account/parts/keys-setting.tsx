import { Checkbox, Stack, Title } from "@mantine/core";
import { useState } from "react";
import { hasSingleKeys, setSingleKeys } from "../../../platform/single-keys.ts";
import { words } from "../words.ts";

/** Whether single keys do something, in this browser. */
export function KeysSetting() {
  const [areOn, setOn] = useState(hasSingleKeys);
  return (
    <Stack component="section" gap="sm">
      <Title order={2} size="h4">
        {words.keys}
      </Title>
      <Checkbox
        label={words.singleKeys}
        description={words.singleKeysAbout}
        checked={areOn}
        onChange={({ currentTarget }) => {
          setOn(currentTarget.checked);
          setSingleKeys(currentTarget.checked);
        }}
      />
    </Stack>
  );
}

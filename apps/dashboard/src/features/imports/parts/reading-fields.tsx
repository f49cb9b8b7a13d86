import { NativeSelect, Select, SimpleGrid } from "@mantine/core";
import { optionsOf } from "../../../ui/options.ts";
import type { ReadingPlan } from "../plan.ts";
import type { ImportKind } from "../rules.ts";
import { words } from "../words.ts";

const IDS = ["column", "email", "match"] as const;
const SAMES = ["event", "line"] as const;

/** The zones of this browser. It calls UTC otherwise, and an older one has no list. */
const ZONES = ["UTC", ...Intl.supportedValuesOf("timeZone")];

type Props = { kind: ImportKind; plan: ReadingPlan; change: (next: Partial<ReadingPlan>) => void };

/** How lines are read beside their columns. */
export function ReadingFields({ kind, plan: { options }, change }: Props) {
  const { id = "column", timeZone = "UTC", same = "event" } = options;
  return (
    <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }}>
      {kind !== "suppressions" && (
        <NativeSelect
          label={words.idOf}
          data={optionsOf(words.ids)}
          value={id}
          onChange={({ currentTarget }) => {
            const chosen = IDS.find((each) => each === currentTarget.value);
            if (chosen !== undefined) change({ options: { ...options, id: chosen } });
          }}
        />
      )}
      <Select
        label={words.zone}
        data={[...new Set([timeZone, ...ZONES])]}
        value={timeZone}
        searchable
        allowDeselect={false}
        onChange={(chosen) => change({ options: { ...options, timeZone: chosen ?? "UTC" } })}
      />
      {kind === "events" && (
        <NativeSelect
          label={words.same}
          data={optionsOf(words.sames)}
          value={same}
          onChange={({ currentTarget }) => {
            const chosen = SAMES.find((each) => each === currentTarget.value);
            if (chosen !== undefined) change({ options: { ...options, same: chosen } });
          }}
        />
      )}
    </SimpleGrid>
  );
}

import { Text } from "@mantine/core";
import { numberOf } from "../../../platform/figures.ts";
import { timeOf } from "../../../platform/times.ts";
import { Rows } from "../../../ui/lists/rows.tsx";
import long from "../../../ui/look/long.module.css";
import { Section } from "../../../ui/section.tsx";
import { callName, type Intake, libraryName } from "../rules.ts";
import { words } from "../words.ts";

/** The calls by library and kind, the most frequent first. */
export const Calls = ({ calls }: { calls: Intake["calls"] }) => (
  <Section title={words.calls} about={words.callsAbout}>
    <Rows
      heads={[words.library, words.call, words.taken, words.notTaken, words.last]}
      rows={calls.map(({ library, call, taken, refused, lastAt }) => ({
        id: JSON.stringify([library, call]),
        cells: [
          <Text key="library" size="sm" fw={600} className={long.long}>
            {libraryName(library)}
          </Text>,
          callName(call),
          numberOf(taken),
          numberOf(refused),
          timeOf(lastAt),
        ],
      }))}
    />
  </Section>
);

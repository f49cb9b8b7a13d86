import { Text } from "@mantine/core";
import { numberOf } from "../../../platform/figures.ts";
import { sizeOf } from "../../../platform/sizes.ts";
import { Rows } from "../../../ui/lists/rows.tsx";
import { Section } from "../../../ui/section.tsx";
import { inOrder, type Sync } from "../rules.ts";
import { progressText } from "../texts.ts";
import { words } from "../words.ts";

/** How far each list of a sync is, and how much was written of it. */
export function Progress({ sync: { progress, lists } }: { sync: Sync }) {
  const inThatOrder = inOrder(lists).flatMap((list) => progress.filter((each) => each.list === list));
  return (
    <Section title={words.progress}>
      <Rows
        heads={[words.list, words.writtenUntil, words.rows, words.size]}
        rows={inThatOrder.map((each) => ({
          id: each.list,
          cells: [
            <Text key="list" size="sm" fw={600}>
              {words.listNames[each.list]}
            </Text>,
            progressText(each),
            numberOf(each.rows),
            sizeOf(each.bytes),
          ],
        }))}
      />
    </Section>
  );
}

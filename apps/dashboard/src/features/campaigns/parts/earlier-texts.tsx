import { Stack, Text } from "@mantine/core";
import { numberOf } from "../../../platform/figures.ts";
import { timeOf } from "../../../platform/times.ts";
import classes from "../../../ui/long.module.css";
import { Rows } from "../../../ui/rows.tsx";
import { Broken, Difference, Rate, Users } from "../../../ui/statistics/cells.tsx";
import { type EarlierText, type Names, nameIn, wordsOf } from "../rules.ts";
import { words } from "../words.ts";
import { VerdictOf } from "./variants-table.tsx";

function Said({ content, because }: EarlierText) {
  const said = wordsOf(content);
  return (
    <>
      {said === null ? (
        <Text size="sm" c="dimmed">
          {words.unkeptText}
        </Text>
      ) : (
        <>
          <Text size="sm" fw={600} className={classes.long}>
            {said.title}
          </Text>
          <Text size="sm" className={classes.long} lineClamp={4}>
            {said.text}
          </Text>
        </>
      )}
      {because === "control_text" && (
        <Text size="sm" c="dimmed">
          {words.besideFormer}
        </Text>
      )}
    </>
  );
}

function Found({ comparison, splitMismatch }: EarlierText) {
  if (comparison === null) return null;
  if (splitMismatch) return <Broken />;
  return (
    <>
      <VerdictOf comparison={comparison} />
      <Difference of={comparison.relative} isBroken={false} />
    </>
  );
}

/** The texts that were changed, with what had come of each, folded. */
export function EarlierTexts({ of, names }: { of: readonly EarlierText[]; names: Names }) {
  if (of.length === 0) return null;
  return (
    <details>
      <summary>{words.earlier}</summary>
      <Stack gap="xs" mt="xs">
        <Text size="sm" c="dimmed">
          {words.earlierAbout}
        </Text>
        <Rows
          heads={[
            ...[words.variant, words.earlierText, words.earlierWhen, words.users, words.converted],
            ...[words.rate, words.earlierFound],
          ]}
          rows={of.map((text) => ({
            id: `${text.variantId} ${text.until}`,
            cells: [
              nameIn(names, text.variantId),
              <Said key="text" {...text} />,
              words.fromTo(timeOf(text.from), timeOf(text.until)),
              <Users key="users" of={text} />,
              numberOf(text.matured.convertedUsers),
              <Rate key="rate" of={text.rate} isBroken={text.splitMismatch} />,
              text.comparison && <Found key="found" {...text} />,
            ],
          }))}
        />
      </Stack>
    </details>
  );
}

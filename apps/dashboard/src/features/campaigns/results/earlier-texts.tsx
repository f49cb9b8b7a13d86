import { Stack, Text } from "@mantine/core";
import { numberOf } from "../../../platform/figures.ts";
import { timeOf } from "../../../platform/times.ts";
import { Rows } from "../../../ui/lists/rows.tsx";
import classes from "../../../ui/look/long.module.css";
import { BrokenSplit, DifferenceCell, RateCell, Users } from "../../../ui/statistics/cells.tsx";
import { nameIn, type VariantNames } from "../../../ui/statistics/comparison.ts";
import { VerdictOf } from "../../../ui/statistics/comparison-table.tsx";
import { words } from "../words.ts";
import { type EarlierText, messageWords } from "./rules.ts";

/** Which variant had it, and from when to when. */
const Had = ({ text: { variantId, from, until }, names }: { text: EarlierText; names: VariantNames }) => (
  <>
    <Text fw={600}>{nameIn(names, variantId)}</Text>
    <Text size="sm" c="dimmed">
      {words.fromTo(timeOf(from), timeOf(until))}
    </Text>
  </>
);

function EarlierContent({ content, because }: EarlierText) {
  const shown = messageWords(content);
  return (
    <Stack gap={2} miw="6rem">
      <Text size="sm" fw={600} className={classes.long}>
        {shown?.title ?? words.unkeptText}
      </Text>
      {shown !== null && shown.text !== "" && (
        <Text size="sm" className={classes.long} lineClamp={4}>
          {shown.text}
        </Text>
      )}
      {because === "control_text" && (
        <Text size="sm" c="dimmed">
          {words.besideFormer}
        </Text>
      )}
    </Stack>
  );
}

const Saw = (text: EarlierText) => (
  <>
    <Users side={text} />
    <Text size="sm" c="dimmed">
      {words.earlierConverted(numberOf(text.matured.convertedUsers))}
    </Text>
  </>
);

function Found({ comparison, splitMismatch }: EarlierText) {
  if (comparison === null) return null;
  if (splitMismatch) return <BrokenSplit />;
  return (
    <>
      <VerdictOf comparison={comparison} />
      <DifferenceCell interval={comparison.relative} isBroken={false} />
    </>
  );
}

/** The texts that were changed, with what had come of each, folded. */
export function EarlierTexts({ texts, names }: { texts: readonly EarlierText[]; names: VariantNames }) {
  if (texts.length === 0) return null;
  return (
    <details>
      <summary>{words.earlier}</summary>
      <Stack gap="xs" mt="xs">
        <Text size="sm" c="dimmed">
          {words.earlierAbout}
        </Text>
        <Rows
          heads={[words.variant, words.earlierText, words.users, words.rate, words.earlierFound]}
          rows={texts.map((text) => ({
            id: `${text.variantId} ${text.until}`,
            cells: [
              <Had key="variant" text={text} names={names} />,
              <EarlierContent key="text" {...text} />,
              <Saw key="users" {...text} />,
              <RateCell key="rate" interval={text.rate} isBroken={text.splitMismatch} />,
              text.comparison && <Found key="found" {...text} />,
            ],
          }))}
        />
      </Stack>
    </details>
  );
}

import { Alert, Stack, Text } from "@mantine/core";
import { percentOf } from "../../platform/figures.ts";
import {
  type Compared,
  type ComparisonFinding,
  comparisonFinding,
  nameIn,
  outlookOf,
  type VariantNames,
} from "./comparison.ts";
import { comparisonWords, type SideWords } from "./comparison-words.ts";

const { findings, plan: outlook, planTooLong } = comparisonWords;

/** The title of a finding, and what it means for a person. */
function textsOf(
  finding: ComparisonFinding,
  names: VariantNames,
  sides: SideWords,
): [title: string, about: string] {
  switch (finding.kind) {
    case "mismatch":
      return [findings.mismatch, sides.mismatchAbout];
    case "better":
      return [
        findings.better(nameIn(names, finding.variantId)),
        findings.betterAbout(percentOf(finding.lower)),
      ];
    case "control":
      return [findings.control, sides.controlAbout];
    case "undecided":
      return [findings.undecided, findings.undecidedAbout];
    case "alone":
      return [sides.alone, sides.aloneAbout];
  }
}

/** How long one has to wait for a lift, where nothing is decided yet. */
function Outlook({ plan, sides }: { plan: NonNullable<Compared["plan"]>; sides: SideWords }) {
  const { exposedPerDay, controlRate } = plan;
  const { lift, days } = outlookOf(plan);
  const [perDay, rate] = [Math.round(exposedPerDay), percentOf(controlRate)];
  return (
    <Text size="sm">
      {days === null
        ? planTooLong(perDay, rate, percentOf(lift), sides.sooner)
        : outlook(perDay, rate, percentOf(lift), days)}
    </Text>
  );
}

const COLORS: Readonly<Record<ComparisonFinding["kind"], string>> = {
  mismatch: "red",
  better: "green",
  control: "tide",
  undecided: "gray",
  alone: "gray",
};

type Props = { statistics: Compared; names: VariantNames; sides: SideWords };

/** What may be claimed of all that is compared, in a sentence. */
export function FindingOf({ statistics, names, sides }: Props) {
  const finding = comparisonFinding(statistics);
  const [title, about] = textsOf(finding, names, sides);
  return (
    <Alert color={COLORS[finding.kind]} title={title}>
      <Stack gap="xs">
        <Text size="sm">{about}</Text>
        {finding.kind === "undecided" && statistics.plan !== null && (
          <Outlook plan={statistics.plan} sides={sides} />
        )}
      </Stack>
    </Alert>
  );
}

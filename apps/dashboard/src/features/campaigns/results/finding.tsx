import { Alert, Stack, Text } from "@mantine/core";
import { percentOf } from "../../../platform/figures.ts";
import { words } from "../words.ts";
import {
  type ComparisonFinding,
  comparisonFinding,
  nameIn,
  outlookOf,
  type Statistics,
  type VariantNames,
} from "./rules.ts";

const { findings } = words;

/** The title of a finding, and what it means for a person. */
function textsOf(finding: ComparisonFinding, names: VariantNames): [title: string, about: string] {
  switch (finding.kind) {
    case "mismatch":
      return [findings.mismatch, findings.mismatchAbout];
    case "better":
      return [
        findings.better(nameIn(names, finding.variantId)),
        findings.betterAbout(percentOf(finding.lower)),
      ];
    case "control":
      return [findings.control, findings.controlAbout];
    case "undecided":
      return [findings.undecided, findings.undecidedAbout];
    case "alone":
      return [findings.alone, findings.aloneAbout];
  }
}

/** How long one has to wait for a lift, where nothing is decided yet. */
function Outlook({ plan }: { plan: NonNullable<Statistics["plan"]> }) {
  const { exposedPerDay, controlRate } = plan;
  const { lift, days } = outlookOf(plan);
  const [perDay, rate] = [Math.round(exposedPerDay), percentOf(controlRate)];
  return (
    <Text size="sm">
      {days === null
        ? words.planTooLong(perDay, rate, percentOf(lift))
        : words.plan(perDay, rate, percentOf(lift), days)}
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

/** What may be claimed of the whole campaign, in a sentence. */
export function FindingOf({ statistics, names }: { statistics: Statistics; names: VariantNames }) {
  const finding = comparisonFinding(statistics);
  const [title, about] = textsOf(finding, names);
  return (
    <Alert color={COLORS[finding.kind]} title={title}>
      <Stack gap="xs">
        <Text size="sm">{about}</Text>
        {finding.kind === "undecided" && statistics.plan !== null && <Outlook plan={statistics.plan} />}
      </Stack>
    </Alert>
  );
}

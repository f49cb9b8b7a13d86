import { Alert, Stack, Text } from "@mantine/core";
import { numberOf, percentOf } from "../../../platform/figures.ts";
import { type Finding, findingOf, type Names, nameIn, type Statistics } from "../rules.ts";
import { words } from "../words.ts";

const { findings } = words;

/** The title of a finding, and what it means for a person. */
function saidOf(finding: Finding, names: Names): [title: string, about: string] {
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

/** How long the smallest lift that shows at all would take, where nothing is decided yet. */
function Outlook({ plan }: { plan: NonNullable<Statistics["plan"]> }) {
  const inTime = plan.lifts.find(({ days50 }) => days50 !== null);
  if (inTime === undefined || inTime.days50 === null) return null;
  return (
    <Text size="sm">
      {words.plan(
        numberOf(Math.round(plan.exposedPerDay)),
        percentOf(plan.controlRate),
        percentOf(inTime.lift),
        numberOf(inTime.days50),
      )}
    </Text>
  );
}

const COLORS: Readonly<Record<Finding["kind"], string>> = {
  mismatch: "red",
  better: "green",
  control: "tide",
  undecided: "gray",
  alone: "gray",
};

/** What may be claimed of the whole campaign, in a sentence. */
export function FindingOf({ statistics, names }: { statistics: Statistics; names: Names }) {
  const finding = findingOf(statistics);
  const [title, about] = saidOf(finding, names);
  return (
    <Alert color={COLORS[finding.kind]} title={title}>
      <Stack gap="xs">
        <Text size="sm">{about}</Text>
        {finding.kind === "undecided" && statistics.plan !== null && <Outlook plan={statistics.plan} />}
      </Stack>
    </Alert>
  );
}

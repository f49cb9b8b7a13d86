import { Alert, Button, Group, Progress, Stack, Text } from "@mantine/core";
import { ORGANIZATION } from "../../../platform/client.ts";
import { numberOf } from "../../../platform/figures.ts";
import { useChange, useOperation } from "../../../platform/operations.ts";
import { timeOf } from "../../../platform/times.ts";
import { Rows } from "../../../ui/lists/rows.tsx";
import { Loaded } from "../../../ui/loaded.tsx";
import { Problem } from "../../../ui/problem.tsx";
import { Section } from "../../../ui/section.tsx";
import { type DoctorFinding, type DoctorRun, isUnfinished, secondsOf, wrongOf } from "../rules.ts";
import { words } from "../words.ts";

type OfRun = { run: DoctorRun };

const FindingRows = ({ findings }: { findings: readonly DoctorFinding[] }) => (
  <Rows
    heads={[words.check, words.found, words.invariant, words.took]}
    rows={findings.map(({ name, differences, invariant, milliseconds }) => ({
      id: name,
      cells: [name, numberOf(differences), invariant, words.ms(numberOf(milliseconds))],
    }))}
  />
);

function UnderWay({ run: { state, findings, checks } }: OfRun) {
  const all = checks ?? 0;
  return (
    <Stack gap="xs" role="status">
      <Text>{state === "waiting" ? words.waiting : words.underWay(findings.length, all)}</Text>
      <Progress
        value={all === 0 ? 0 : Math.min(100, (100 * findings.length) / all)}
        aria-label={words.progress}
      />
    </Stack>
  );
}

/** What was wrong, with what to do about it. */
function Wrong({ run }: OfRun) {
  const wrong = wrongOf(run);
  const kinds = [...new Set(wrong.map(({ compares }) => compares))];
  return (
    <Stack gap="xs">
      <Alert color="red" title={words.differences(run.differences)}>
        {kinds.map((kind) => (
          <Text key={kind} size="sm">
            {words.advice[kind]}
          </Text>
        ))}
        {kinds.some((kind) => kind === "derived" || kind === "facts") && (
          <Text size="sm">{words.report}</Text>
        )}
      </Alert>
      <FindingRows findings={wrong} />
    </Stack>
  );
}

function Outcome({ run }: OfRun) {
  const { state, fault, findings, differences } = run;
  if (isUnfinished(run)) return <UnderWay run={run} />;
  return (
    <Stack gap="xs" role="status">
      {state === "failed" && (
        <Alert color="red" title={words.failed}>
          {fault}
        </Alert>
      )}
      {differences > 0 && <Wrong run={run} />}
      {state === "done" && differences === 0 && (
        <Alert title={words.healthyTitle}>{words.healthy(findings.length, secondsOf(run).toFixed(1))}</Alert>
      )}
      {findings.length > 0 && (
        <details>
          <summary>{words.allChecks(findings.length)}</summary>
          <FindingRows findings={findings} />
        </details>
      )}
    </Stack>
  );
}

const WHILE_OPEN_MS = 2_000;

/** Runs the doctor, and says what it found. */
export function Doctor() {
  const last = useOperation(ORGANIZATION, "getDoctor", undefined, {
    refetchInterval: ({ state: { data } }) => (data?.run && isUnfinished(data.run) ? WHILE_OPEN_MS : false),
  });
  const running = useChange(ORGANIZATION, "runDoctor", ["getDoctor", "listAuditEntries"]);
  return (
    <Section title={words.doctor} about={words.doctorAbout}>
      {running.error !== null && <Problem error={running.error} />}
      <Loaded query={last}>
        {({ run }) => (
          <Stack gap="sm">
            <Group>
              <Button
                loading={running.isPending}
                disabled={run !== null && isUnfinished(run)}
                onClick={() => running.mutate({})}
              >
                {run === null ? words.run : words.again}
              </Button>
              <Text size="sm" c="dimmed">
                {run === null ? words.never : words.requested(run.requestedBy, timeOf(run.requestedAt))}
              </Text>
            </Group>
            {run !== null && <Outcome run={run} />}
          </Stack>
        )}
      </Loaded>
    </Section>
  );
}

import { Alert, Group, Progress, Stack, Text } from "@mantine/core";
import { percentOf } from "../../../platform/figures.ts";
import { useChange } from "../../../platform/operations.ts";
import { timeOf } from "../../../platform/times.ts";
import { useRequestKey } from "../../../platform/use-request-key.ts";
import { RoleButton } from "../../../ui/dialogs/role-button.tsx";
import { Problem } from "../../../ui/problem.tsx";
import { Section } from "../../../ui/section.tsx";
import { To } from "../../../ui/to.tsx";
import { type ImportFile, shareRead, stageOf } from "../rules.ts";
import type { StepProps } from "../steps.ts";
import { words } from "../words.ts";
import { Counts } from "./counts.tsx";
import { Reasons } from "./reasons.tsx";
import { StartButtons } from "./start-buttons.tsx";

type OfFile = { scope: string; file: ImportFile };

/** How far a file is read, and the button that stops it. */
function Reading({ scope, file }: OfFile) {
  const { headers, renew } = useRequestKey();
  const stopping = useChange(scope, "stopImport", ["getImport", "listImports"]);
  const share = shareRead(file) ?? 0;
  const isRunning = file.isDryRun ? words.isTrying : words.isRunning;
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Text role="status">{words.share(percentOf(share))}</Text>
        <RoleButton
          scope={scope}
          needs="editor"
          variant="default"
          loading={stopping.isPending}
          onClick={() => stopping.mutate({ path: { id: file.id }, headers }, { onEnd: renew })}
        >
          {words.stop}
        </RoleButton>
      </Group>
      <Progress value={100 * share} aria-label={words.progress} />
      <Text size="sm" c="dimmed">
        {isRunning(file.startedBy ?? file.by)}
      </Text>
      {stopping.error !== null && <Problem error={stopping.error} />}
    </Stack>
  );
}

/** What happened to the file last, in a sentence. */
function lastSentence({ state, isDryRun, startedBy, by, startedAt, endedAt }: ImportFile): string | null {
  if (startedAt === null || state === "running") return null;
  const [name, time] = [startedBy ?? by, timeOf(endedAt ?? startedAt)];
  if (state === "done") return (isDryRun ? words.triedAt : words.broughtAt)(name, time);
  return words.stoppedAt(name, time);
}

const TARGETS = {
  users: { path: "users", text: words.toUsers },
  events: { path: "events", text: words.toEvents },
  suppressions: { path: "email", text: words.toStops, search: { view: "suppressions" } },
} as const;

/** The way to what a file brought. */
function ToBrought({ scope, file: { kind } }: OfFile) {
  const { text, ...target } = TARGETS[kind];
  return (
    <div>
      <To scope={scope} {...target}>
        {text}
      </To>
    </div>
  );
}

/** What came of the file so far. */
function Outcome({ scope, file }: OfFile) {
  const sentence = lastSentence(file);
  if (file.startedAt === null) return null;
  return (
    <Stack gap="sm">
      {file.state === "failed" && (
        <Alert color="red" title={words.failedTitle} role="alert">
          {file.fault}
        </Alert>
      )}
      {sentence !== null && <Text>{sentence}</Text>}
      {file.state === "stopped" && <Text>{words.stopped}</Text>}
      {(file.lines > 0 || file.state !== "running") && <Counts file={file} />}
      <Reasons scope={scope} file={file} />
      {stageOf(file) === "over" && <ToBrought scope={scope} file={file} />}
    </Stack>
  );
}

/** The last step: the file is tried and brought in, and what came of it. */
export function BringingStep({ scope, file, look, planning, place }: StepProps) {
  const stage = stageOf(file);
  return (
    <Section
      title={words.step(place, stage === "over" ? words.cameOf : words.bring)}
      {...(stage === "ready" && file.startedAt === null && { about: words.bringAbout })}
    >
      {stage === "reading" && <Reading scope={scope} file={file} />}
      <Outcome scope={scope} file={file} />
      {stage === "ready" && (
        <StartButtons key={file.startedAt} scope={scope} file={file} look={look.data} planning={planning} />
      )}
    </Section>
  );
}

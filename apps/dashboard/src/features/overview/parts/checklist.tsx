import { Button, CopyButton, Group, Stack, Text, VisuallyHidden } from "@mantine/core";
import { useState } from "react";
import { type KeptSteps, keepSteps, readSteps } from "../../../platform/kept-steps.ts";
import type { Setup } from "../../../ui/reach/rules.ts";
import { Copied } from "../../../ui/texts/copied.tsx";
import { To } from "../../../ui/to.tsx";
import { isDone, mailOf, mailtoOf, openSteps, type SetupStep, STEPS } from "../steps.pure.ts";
import { words } from "../words.ts";
import classes from "./checklist.module.css";
import { snippetOf } from "./snippet.ts";

/** Where a step is done. The first one is done in pages that are not of Tidings. */
const WAYS: Readonly<
  Record<Exclude<SetupStep, "page">, { path: string; search?: Readonly<Record<string, string>> }>
> = {
  user: { path: "users" },
  event: { path: "events" },
  goal: { path: "goals/new" },
  campaign: { path: "campaigns/new" },
  sender: { path: "email", search: { view: "sender" } },
};

/** The lines for pages, to copy, or to send to the person who changes the pages. */
function Lines({ projectKey }: { projectKey: string | null }) {
  if (projectKey === null) return <Text size="sm">{words.noKey}</Text>;
  const lines = snippetOf(projectKey);
  const mail = mailOf(lines, location.href);
  return (
    <Stack gap="xs">
      <Text size="sm">{words.beginAbout}</Text>
      <Copied text={lines} label={words.snippet} />
      <Group gap="xs">
        <Button component="a" size="xs" variant="default" href={mailtoOf(words.mailSubject, mail)}>
          {words.sendToDeveloper}
        </Button>
        <CopyButton value={mail}>
          {({ copied, copy }) => (
            <Button size="xs" variant="default" onClick={copy}>
              {copied ? words.mailCopied : words.copyMail}
            </Button>
          )}
        </CopyButton>
      </Group>
    </Stack>
  );
}

type StepProps = {
  scope: string;
  step: SetupStep;
  isTicked: boolean;
  projectKey: string | null;
  skip: () => void;
};

function StepLine({ scope, step, isTicked, projectKey, skip }: StepProps) {
  const { title, about, way } = words.steps[step];
  return (
    <li className={classes.step} data-done={isTicked}>
      <span className={classes.tick} aria-hidden>
        {isTicked ? "✓" : ""}
      </span>
      <Stack gap={4} className={classes.text ?? ""}>
        <Text size="sm" fw={600}>
          {title}
          <VisuallyHidden>{isTicked ? words.stepDone : words.stepOpen}</VisuallyHidden>
        </Text>
        {!isTicked && (
          <>
            {step === "page" ? <Lines projectKey={projectKey} /> : <Text size="sm">{about}</Text>}
            <Group gap="md">
              {step !== "page" && (
                <To scope={scope} {...WAYS[step]}>
                  {way}
                </To>
              )}
              {step === "sender" && (
                <Button size="compact-sm" variant="subtle" onClick={skip}>
                  {words.skipMail}
                </Button>
              )}
            </Group>
          </>
        )}
      </Stack>
    </li>
  );
}

/**
 * What is left of the first steps. What was done before one looked is not listed; what gets done meanwhile gets its tick. A person who hides
 * the list does not see it again in this browser.
 */
export function Checklist({
  scope,
  setup,
  projectKey,
}: {
  scope: string;
  setup: Setup;
  projectKey: string | null;
}) {
  const [kept, setKept] = useState(() => readSteps(scope));
  // As they were when the page was opened: a step that is done then goes from open to ticked, and stays.
  const [begun] = useState(() => openSteps(setup, kept.skipped));
  const decide = (change: Partial<KeptSteps>): void => {
    const next = { ...kept, ...change };
    keepSteps(scope, next);
    setKept(next);
  };
  const open = openSteps(setup, kept.skipped);
  const shown = STEPS.filter(
    (step) => open.includes(step) || (begun.includes(step) && !kept.skipped.includes(step)),
  );
  if (kept.isHidden || shown.length === 0) return null;
  return (
    <Stack gap="xs" component="section" aria-labelledby="steps">
      <Group justify="space-between">
        <Text fw={600} id="steps">
          {open.length === 0 ? words.stepsDone : words.stepsTitle}
        </Text>
        <Button size="compact-sm" variant="subtle" onClick={() => decide({ isHidden: true })}>
          {words.hideSteps}
        </Button>
      </Group>
      <ul className={classes.steps}>
        {shown.map((step) => (
          <StepLine
            key={step}
            scope={scope}
            step={step}
            projectKey={projectKey}
            isTicked={isDone(setup, step)}
            skip={() => decide({ skipped: [...kept.skipped, step] })}
          />
        ))}
      </ul>
    </Stack>
  );
}

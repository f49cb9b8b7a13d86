import { Group, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { useChange } from "../../../platform/operations.ts";
import { useRequestKey } from "../../../platform/use-request-key.ts";
import { ConfirmDialog } from "../../../ui/dialogs/confirm-dialog.tsx";
import { RoleButton } from "../../../ui/dialogs/role-button.tsx";
import { Problem } from "../../../ui/problem.tsx";
import { lackOf, needsLeft } from "../mapping.pure.ts";
import type { Planning, ReadingPlan } from "../plan.ts";
import type { FileLook, ImportFile } from "../rules.ts";
import { words } from "../words.ts";

type Props = { scope: string; file: ImportFile; look: FileLook | undefined; planning: Planning };

/** Why a file cannot be tried as it is; null where it can. */
function trialRefusal({ kind }: ImportFile, plan: ReadingPlan | null): string | null {
  if (plan === null) return words.lacks.nothing;
  const lack = lackOf(kind, plan.mapping, plan.options);
  if (lack === null) return null;
  return lack.lacks === "twice" ? words.lacks.twice(lack.name) : words.lacks[lack.lacks];
}

/** Whether a person has decided where those are who get no mail. */
const isDecided = ({ whoLeft }: ReadingPlan): boolean =>
  whoLeft === "nobody" || (whoLeft !== null && whoLeft.importId !== "");

/** Why it cannot be brought in: a trial needs no word about those who left. */
function bringRefusal(file: ImportFile, plan: ReadingPlan | null, look: FileLook | undefined): string | null {
  const refusal = trialRefusal(file, plan);
  if (refusal !== null || plan === null) return refusal;
  const isNeeded = look !== undefined && needsLeft(file.kind, plan.mapping, look.needsLeavers, look.mapping);
  return isNeeded && !isDecided(plan) ? words.lacks.elsewhere : null;
}

/** What a start takes of a plan. What is not chosen yet is left out. */
function bodyOf(plan: ReadingPlan, dryRun: boolean) {
  const { preset, mapping, options, whoLeft } = plan;
  return {
    dryRun,
    mapping,
    options,
    ...(preset !== null && { preset }),
    ...(whoLeft !== null && isDecided(plan) && { whoLeft }),
  };
}

/** Starts a file, or goes on with it. */
function useStart({ scope, file, planning }: Props) {
  const { headers, renew } = useRequestKey();
  const starting = useChange(scope, "startImport", ["getImport", "listImports"]);
  return {
    starting,
    start(dryRun: boolean): void {
      if (planning.plan === null) return;
      starting.mutate(
        { path: { id: file.id }, body: bodyOf(planning.plan, dryRun), headers },
        { onSuccess: planning.startOver, onEnd: renew },
      );
    },
  };
}

/** What an approver reads before a file is brought in: how many lines will change something. */
function confirmText({ kind, state, isDryRun, written, refused }: ImportFile, isAsStarted: boolean): string {
  const isTried = state === "done" && isDryRun && isAsStarted;
  const lines = isTried ? words.confirmTried(written, refused) : words.confirmUntried;
  return `${lines} ${words.confirmStay[kind]}`;
}

/** The buttons that start a file: what comes next stands out. */
export function StartButtons(props: Props) {
  const { scope, file, look, planning } = props;
  const [isAsking, setAsking] = useState(false);
  const { starting, start } = useStart(props);
  const refusals = {
    trial: trialRefusal(file, planning.plan),
    bring: bringRefusal(file, planning.plan, look),
  };
  const isTried = file.state === "done" && file.isDryRun;
  const isCut = file.state === "stopped" || file.state === "failed";
  const goesOn = isCut && planning.isAsStarted;
  const brings = (isTried && planning.isAsStarted) || (goesOn && !file.isDryRun);
  const button = { scope, needs: "approver" as const, disabled: starting.isPending };
  const ask = (): void => {
    starting.reset();
    setAsking(true);
  };
  const lookOf = (isMain: boolean) => (isMain ? {} : { variant: "default" });
  return (
    <Stack gap="sm">
      {isTried && !planning.isAsStarted && <Text>{words.changedSince}</Text>}
      {starting.error !== null && !isAsking && <Problem error={starting.error} />}
      <Group>
        <RoleButton {...button} {...lookOf(!brings)} refusal={refusals.trial} onClick={() => start(true)}>
          {goesOn && file.isDryRun ? words.goOn : file.startedAt === null ? words.try : words.tryAgain}
        </RoleButton>
        <RoleButton {...button} {...lookOf(brings)} refusal={refusals.bring} onClick={ask}>
          {goesOn && !file.isDryRun ? words.goOn : words.bringNow}
        </RoleButton>
      </Group>
      <ConfirmDialog
        opened={isAsking}
        close={() => setAsking(false)}
        isMild
        title={words.confirmTitle(file.name)}
        about={confirmText(file, planning.isAsStarted)}
        action={words.bringNow}
        act={() => start(false)}
        change={starting}
      />
    </Stack>
  );
}

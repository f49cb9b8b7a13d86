import { Button, Group, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { problemOf } from "../../../platform/client.ts";
import { inWords } from "../../../platform/faults.ts";
import { useSaveKey } from "../../../platform/use-save-key.ts";
import { Discard } from "../../../ui/form/discard.tsx";
import type { Patch } from "./draft.ts";
import classes from "./editor.module.css";
import type { Editing } from "./use-draft.ts";
import { words } from "./words.ts";

type Props = { editing: Editing; savesItself: boolean; review: () => void; children: ReactNode };

/** How many changes wait: each field is one, each variant too. */
function countOf(patch: Patch | null): number {
  const { variants = [], ...fields } = patch ?? {};
  return Object.keys(fields).length + variants.length;
}

/** What is saved and what is not, with what can be done about it. It stays in view. */
export function SavingBar({ editing, savesItself, review, children }: Props) {
  const { patch, isSaving, problem, wasRequested, save } = editing;
  const bar = useSaveKey<HTMLDivElement>(() => void (savesItself ? save() : review()));
  const isRefused = problem !== null && !isSaving;
  const statusText = (): string => {
    if (isSaving) return words.saving;
    if (isRefused) return words.notSaved;
    if (patch === null) return words.saved;
    return savesItself ? words.unsaved : words.gathered(countOf(patch));
  };
  return (
    <div className={classes.bar} ref={bar}>
      <Group justify="space-between">
        <div role="status">
          <Text fw={600} size="sm" c={isRefused && wasRequested ? "var(--mantine-color-error)" : "inherit"}>
            {statusText()}
          </Text>
          {isRefused && (
            <Text size="sm" c={wasRequested ? "inherit" : "dimmed"}>
              {inWords(problemOf(problem).message)}
            </Text>
          )}
          {!savesItself && patch === null && (
            <Text size="sm" c="dimmed">
              {words.runs}
            </Text>
          )}
        </div>
        <Group gap="xs">
          {patch !== null && !savesItself && (
            <>
              <Discard label={words.discard} discard={editing.takeTheirs} />
              <Button onClick={review}>{words.review}</Button>
            </>
          )}
          {patch !== null && savesItself && (
            <Button variant="default" loading={isSaving} onClick={() => void save()}>
              {words.saveNow}
            </Button>
          )}
          {children}
        </Group>
      </Group>
    </div>
  );
}

import { useAddress } from "../../platform/address.ts";
import { useKept } from "../../platform/use-kept.ts";
import { isSame } from "./mapping.pure.ts";
import type {
  ColumnMapping,
  FileLook,
  ImportFile,
  ImportPreset,
  LeftElsewhere,
  ReadingOptions,
} from "./rules.ts";

/** How a file is read: what a start of it takes. */
export type ReadingPlan = {
  preset: ImportPreset | null;
  mapping: ColumnMapping;
  options: ReadingOptions;
  whoLeft: LeftElsewhere | null;
};

/** What a person changed, with the tool that was chosen: another one means other columns. */
type ChangedPlan = ReadingPlan & { tool: string };

/** The plan before a person changes it: what the file was started with last, or what it seems to be. */
function planBefore(file: ImportFile, look: FileLook | undefined, tool: string): ReadingPlan | null {
  const { mapping, options, preset, whoLeft } = file;
  if (mapping !== null && (tool === "" || tool === preset)) return { preset, mapping, options, whoLeft };
  if (look === undefined) return null;
  return { preset: look.preset, mapping: look.mapping, options: look.options, whoLeft };
}

/** How a file is read, with what a person changed of it, which this tab keeps over a reload until it is started. */
export function usePlan(file: ImportFile, look: FileLook | undefined) {
  const [{ tool = "" }] = useAddress();
  const kept = useKept<ChangedPlan | null>(`import.${file.id}`, () => null);
  const before = planBefore(file, look, tool);
  const changed = kept.value?.tool === tool ? kept.value : null;
  const plan: ReadingPlan | null = changed ?? before;
  return {
    plan,
    isChanged: changed !== null,
    /** Whether the file was read last as the plan says. */
    isAsStarted: plan !== null && isSame(plan.mapping, file.mapping) && isSame(plan.options, file.options),
    change(next: Partial<ReadingPlan>): void {
      if (plan === null) return;
      const { preset, mapping, options, whoLeft } = { ...plan, ...next };
      kept.change({ preset, mapping, options, whoLeft, tool });
    },
    startOver: (): void => kept.startOver(null),
  };
}

export type Planning = ReturnType<typeof usePlan>;

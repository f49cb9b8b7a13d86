/** What a person decided about the first steps of a project: that they see them no more, or which of them they do not want. */
export type KeptSteps = { isHidden: boolean; skipped: readonly string[] };

const NOTHING: KeptSteps = { isHidden: false, skipped: [] };
const nameOf = (scope: string): string => `tidings.steps.${scope}`;

/** What was decided in this browser; nothing where it keeps nothing, or nothing that can be read. */
export function readSteps(scope: string): KeptSteps {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(nameOf(scope)) ?? "null");
    if (typeof kept !== "object" || kept === null) return NOTHING;
    const { isHidden, skipped }: { isHidden?: unknown; skipped?: unknown } = kept;
    return {
      isHidden: isHidden === true,
      skipped: Array.isArray(skipped) ? skipped.filter((step) => typeof step === "string") : [],
    };
  } catch {
    return NOTHING;
  }
}

export function keepSteps(scope: string, steps: KeptSteps): void {
  try {
    localStorage.setItem(nameOf(scope), JSON.stringify(steps));
  } catch {
    // A browser that keeps nothing shows them again with the next visit.
  }
}

/** Id of a variant as texts name it. */
const VARIANT_ID = /\bvar_[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g;

/** The ids of the variants that reasons name, each once. */
export const variantsNamedIn = (rationales: readonly (string | null)[]): string[] => [
  ...new Set(rationales.flatMap((rationale) => rationale?.match(VARIANT_ID) ?? [])),
];

/** Kinds of runs that are steps of a campaign's evaluation. */
const CAMPAIGN_KINDS: ReadonlySet<string> = new Set(["evaluate", "propose", "mutate", "approval"]);

type References = { goalId: string | null; campaignId: string | null };

/** Why the references of a run are refused, or null. `found` are those among `named` that the project has. */
export function referenceFault(kind: string, named: References, found: References): string | null {
  if (named.goalId !== null && found.goalId === null) return "goalId must be a goal of this project";
  if (named.campaignId !== null && found.campaignId === null)
    return "campaignId must be a campaign of this project";
  if (named.campaignId === null && CAMPAIGN_KINDS.has(kind))
    return `campaignId is required for a run of kind ${kind}`;
  return null;
}

import { useOperation } from "../../../platform/operations.ts";

/** As many as a project can list at once; a journey has fewer steps. */
const MOST = 100;

/** The names of the campaigns of a journey's steps by their ids; null of one that is not known (yet). */
export function useStepNames(scope: string, journeyId: string): (campaignId: string) => string | null {
  const found = useOperation(
    scope,
    "listCampaigns",
    { query: { journeyId, perPage: MOST } },
    { enabled: journeyId !== "" },
  );
  const names = new Map(found.data?.campaigns.map(({ id, name }) => [id, name]));
  return (campaignId) => names.get(campaignId) ?? null;
}

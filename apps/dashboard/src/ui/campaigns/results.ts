import type { Answer } from "@tidings/client";
import { numberOf } from "../../platform/figures.ts";
import { useOperation } from "../../platform/operations.ts";
import { words } from "../words.ts";

export type CampaignResults = Answer<"listCampaignResults">["results"][number];
export type Results = CampaignResults["totals"];

/** Results of a campaign in a list, which come after the list itself: until then, and where they could not be counted, a word for that. */
export type ListedResults = Results | "coming" | "failed";

/** How often the results of a list are counted anew while it is on the screen: each time all deliveries of its campaigns are read. */
const EVERY_MS = 60_000;

/** What came of campaigns that are listed, as people count it, by their ids. */
export function useResults(
  scope: string,
  campaigns: readonly { id: string }[] | undefined,
): (id: string) => ListedResults {
  const campaignIds = (campaigns ?? []).map(({ id }) => id).join(",");
  const { data, isError } = useOperation(
    scope,
    "listCampaignResults",
    { query: { campaignIds } },
    { enabled: campaignIds !== "", refetchInterval: EVERY_MS },
  );
  const byId = new Map(data?.results.map(({ campaignId, totals }) => [campaignId, totals]));
  return (id) => byId.get(id) ?? (isError ? "failed" : "coming");
}

/** One figure of listed results as it stands in a cell; a dash where nothing is counted, as conversions without a goal. */
export function figureOf(results: ListedResults, name: keyof Results): string {
  if (results === "coming") return words.counting;
  if (results === "failed") return words.uncounted;
  const count = results[name];
  return count === null ? words.nothingCounted : numberOf(count);
}

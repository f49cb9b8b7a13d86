import { useQueries } from "@tanstack/react-query";
import { clientAt } from "../../platform/client.ts";
import { type Names, withNames } from "../with-names.ts";

/** How long a name is believed: names change rarely. */
const FRESH_MS = 5 * 60_000;
/** In place of a name that is on its way. */
const COMING = "…";

/** The names of campaigns by their ids; without those of which none is known. */
export function useCampaignNames(scope: string, ids: readonly string[]): Names {
  const unique = [...new Set(ids)];
  const found = useQueries({
    queries: unique.map((id) => {
      const input = { path: { id } };
      return {
        // As the page of the campaign reads it: a new name there is one here.
        queryKey: [scope, "getCampaign", input],
        queryFn: () => clientAt(scope).getCampaign(input),
        refetchInterval: false as const,
        staleTime: FRESH_MS,
      };
    }),
  });
  return Object.fromEntries(
    unique.flatMap((id, index) => {
      const { data, isPending } = found[index] ?? {};
      const name = data?.campaign.name ?? (isPending ? COMING : undefined);
      return name === undefined ? [] : [[id, name]];
    }),
  );
}

/** The campaigns that a text of the server names by their ids. */
const campaignsIn = (text: string): string[] => text.match(/\bcmp_[0-9a-f-]{36}\b/g) ?? [];

/** Writes names in place of the ids of campaigns that some texts of the server have, in quotes as it writes values. */
export function useCampaignWords(scope: string, texts: readonly string[]): (text: string) => string {
  const names = useCampaignNames(scope, texts.flatMap(campaignsIn));
  const quoted = Object.fromEntries(Object.entries(names).map(([id, name]) => [id, `"${name}"`]));
  return (text) => withNames(text, quoted);
}

/** A text of the server with names in place of the ids of campaigns. */
export const WithCampaigns = ({ scope, text }: { scope: string; text: string }): string =>
  useCampaignWords(scope, [text])(text);

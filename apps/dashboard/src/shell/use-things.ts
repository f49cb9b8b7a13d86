import { ORGANIZATION } from "../platform/client.ts";
import { useOperation } from "../platform/operations.ts";
import type { Page } from "../platform/pages.ts";
import { matches, type Offer } from "./palette.pure.ts";
import { words } from "./palette-words.ts";

/** How many things of one kind are offered. */
const MOST = 5;
/** From so many characters on, things are searched. */
const LEAST = 2;

/** Things of a project by their names: campaigns and users by the server, segments and goals among the few that there are. */
export function useThings(
  scope: string,
  typed: string,
  pages: readonly Page[],
  open: (path: string) => void,
) {
  const q = typed.trim();
  const has = (path: string): boolean => pages.some((page) => page.path === path);
  const isWanted = scope !== ORGANIZATION && q.length >= LEAST;
  const still = { refetchInterval: false } as const;
  const query = { q, page: 1, perPage: MOST };
  const campaigns = useOperation(scope, "listCampaigns", { query }, { ...still, enabled: isWanted });
  const users = useOperation(scope, "listUsers", { query }, { ...still, enabled: isWanted });
  const hasSegments = isWanted && has("segments");
  const segments = useOperation(scope, "listSegments", undefined, { ...still, enabled: hasSegments });
  const hasGoals = isWanted && has("goals");
  const goals = useOperation(scope, "listGoals", undefined, { ...still, enabled: hasGoals });
  const asked = [campaigns, users, ...(hasSegments ? [segments] : []), ...(hasGoals ? [goals] : [])];
  /** The page of a thing where there is one, else the list. */
  const to = (list: string, id: string): string =>
    pages.some(({ path }) => path.startsWith(`${list}/$`)) ? `${list}/${encodeURIComponent(id)}` : list;
  const offersOf = (list: string, things: readonly { id: string; name: string }[]): Offer[] =>
    things.slice(0, MOST).map(({ id, name }) => ({
      id: `${list} ${id}`,
      label: name,
      act: () => open(to(list, id)),
    }));
  const named = <Thing extends { name: string }>(things: readonly Thing[]): Thing[] =>
    things.filter(({ name }) => matches(name, q));
  const groups = [
    { group: words.groups.campaigns, choices: offersOf("campaigns", campaigns.data?.campaigns ?? []) },
    {
      group: words.groups.users,
      choices: offersOf(
        "users",
        (users.data?.users ?? []).map(({ externalUserId }) => ({ id: externalUserId, name: externalUserId })),
      ),
    },
    {
      group: words.groups.segments,
      choices: offersOf("segments", named(hasSegments ? (segments.data?.segments ?? []) : [])),
    },
    {
      group: words.groups.goals,
      choices: offersOf("goals", named(hasGoals ? (goals.data?.goals ?? []) : [])),
    },
  ].filter(({ choices }) => choices.length > 0);
  return {
    groups: isWanted ? groups : [],
    isSearching:
      isWanted &&
      asked.some(
        ({ isFetching, isPlaceholderData, data }) => isFetching && (isPlaceholderData || data === undefined),
      ),
    hasFailed: isWanted && asked.some(({ error }) => error !== null),
  };
}

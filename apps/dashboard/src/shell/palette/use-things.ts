import { ORGANIZATION } from "../../platform/client.ts";
import { useOperation } from "../../platform/operations.ts";
import { calledBeside } from "../../ui/user/sought.pure.ts";
import { matches, type Offer } from "./palette.pure.ts";
import { words } from "./words.ts";

/** How many things of one kind are offered. */
const MOST = 5;
/** From so many characters on, things are searched. */
const LEAST = 2;

/** Things of a project by their names: the server searches them; all goals are read, for they are few. */
export function useThings(scope: string, typed: string, open: (path: string) => void) {
  const q = typed.trim();
  const isWanted = scope !== ORGANIZATION && q.length >= LEAST;
  const still = { refetchInterval: false } as const;
  const query = { q, page: 1, perPage: MOST };
  const campaigns = useOperation(scope, "listCampaigns", { query }, { ...still, enabled: isWanted });
  const journeys = useOperation(scope, "listJourneys", { query }, { ...still, enabled: isWanted });
  const templates = useOperation(
    scope,
    "listCampaigns",
    { query: { ...query, purpose: "transactional" as const } },
    { ...still, enabled: isWanted },
  );
  const users = useOperation(scope, "findUsers", { body: { q } }, { ...still, enabled: isWanted });
  const segments = useOperation(scope, "searchSegments", { query }, { ...still, enabled: isWanted });
  const goals = useOperation(scope, "listGoals", undefined, { ...still, enabled: isWanted });
  const searches = [campaigns, journeys, templates, users, segments, goals];
  const offersOf = (list: string, things: readonly { id: string; name: string; hint?: string }[]): Offer[] =>
    things.slice(0, MOST).map(({ id, name, hint }) => ({
      id: `${list} ${id}`,
      label: name,
      ...(hint !== undefined && { hint }),
      act: () => open(`${list}/${encodeURIComponent(id)}`),
    }));
  const groups = [
    { group: words.groups.campaigns, choices: offersOf("campaigns", campaigns.data?.campaigns ?? []) },
    { group: words.groups.journeys, choices: offersOf("journeys", journeys.data?.journeys ?? []) },
    { group: words.groups.templates, choices: offersOf("templates", templates.data?.campaigns ?? []) },
    {
      group: words.groups.users,
      choices: offersOf(
        "users",
        (users.data?.users ?? []).map((user) => {
          const { id, externalUserId } = user;
          const called = calledBeside(user);
          return called === "" ? { id, name: externalUserId } : { id, name: called, hint: externalUserId };
        }),
      ),
    },
    { group: words.groups.segments, choices: offersOf("segments", segments.data?.segments ?? []) },
    {
      group: words.groups.goals,
      choices: offersOf(
        "goals",
        (goals.data?.goals ?? []).filter(({ name }) => matches(name, q)),
      ),
    },
  ].filter(({ choices }) => choices.length > 0);
  return {
    groups: isWanted ? groups : [],
    isSearching:
      isWanted &&
      searches.some(
        ({ isFetching, isPlaceholderData, data }) => isFetching && (isPlaceholderData || data === undefined),
      ),
    hasFailed: isWanted && searches.some(({ error }) => error !== null),
  };
}

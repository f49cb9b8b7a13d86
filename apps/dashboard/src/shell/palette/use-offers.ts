import { useMantineColorScheme } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { ORGANIZATION } from "../../platform/client.ts";
import { roleAt, useMe } from "../../platform/me.ts";
import { type Page, type PagePlace, reaches } from "../../platform/pages.ts";
import { PAGE_KEYS } from "./keys.pure.ts";
import type { Choices, Offer, PaletteProps } from "./palette.pure.ts";
import { mayOpen, shownPages } from "./shown-pages.ts";
import { words } from "./words.ts";

/** Pages where something is made in a project. */
const NEW = ["campaigns/new", "segments/new", "goals/new"] as const;

type Placed = { page: Page; places: readonly PagePlace[] };

/** The parts of all pages; none of a page until its words are there. */
function usePlaces(pages: readonly Page[]): readonly Placed[] {
  const { data } = useQuery({
    queryKey: ["places of pages"],
    queryFn: () =>
      Promise.all(
        pages.map(async (page): Promise<Placed> => ({ page, places: (await page.places?.()) ?? [] })),
      ),
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: false,
  });
  return data ?? [];
}

/** Pages, their parts, actions and projects that a person may open from where they are. */
export function useOffers({
  pages,
  scope,
  openPage,
  openProject,
  signOut,
  showKeys,
}: PaletteProps): Choices<Offer>[] {
  const me = useMe();
  const { toggleColorScheme } = useMantineColorScheme();
  const allowed = (path: string): boolean =>
    pages.some((page) => page.path === path && mayOpen(page, me, scope));
  const open = shownPages(pages, me, scope).filter((page) => mayOpen(page, me, scope));
  const here = scope === ORGANIZATION ? "organization" : "project";
  const isHere = ({ at = here, role }: PagePlace): boolean =>
    at === here && (role === undefined || reaches(roleAt(me, scope), role));
  const placeOffers = usePlaces(pages)
    .filter(({ page }) => open.includes(page))
    .flatMap(({ page: { path, label: hint }, places }) =>
      places.filter(isHere).map(({ label, also = "", search }, index): Offer => {
        const id = `place ${path} ${index}`;
        return { id, label, hint, also, isSought: true, act: () => openPage(path, search) };
      }),
    );
  const pageOffers = open.map(({ path, label, also = "" }): Offer => {
    const pageKey = PAGE_KEYS[path];
    return {
      id: `page ${path}`,
      label,
      also,
      act: () => openPage(path),
      ...(pageKey !== undefined && { hint: words.both("g", pageKey) }),
    };
  });
  const actions: Offer[] = [
    ...NEW.filter((path) => scope !== ORGANIZATION && allowed(path)).map((path) => ({
      id: `page ${path}`,
      label: words.make[path],
      act: () => openPage(path),
    })),
    ...(allowed("people")
      ? [{ id: "invite", label: words.invite, act: () => openPage("people", { invite: "1" }) }]
      : []),
    { id: "theme", label: words.theme, act: toggleColorScheme },
    { id: "keys", label: words.keys, hint: "?", act: showKeys },
    { id: "sign out", label: words.signOut, act: signOut },
  ];
  const everywhere = me.role === null ? [] : [{ id: ORGANIZATION, name: words.allProjects }];
  const projects = [...me.projects, ...everywhere]
    .filter(({ id }) => id !== scope)
    .map(({ id, name }): Offer => ({ id: `project ${id}`, label: name, act: () => openProject(id) }));
  return [
    { group: words.groups.pages, choices: pageOffers },
    { group: words.groups.places, choices: placeOffers },
    { group: words.groups.actions, choices: actions },
    { group: words.groups.projects, choices: projects },
  ];
}

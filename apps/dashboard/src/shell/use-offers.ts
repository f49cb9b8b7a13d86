import { useMantineColorScheme } from "@mantine/core";
import { ORGANIZATION } from "../platform/client.ts";
import { useMe } from "../platform/me.ts";
import { LETTERS } from "./keys.pure.ts";
import type { Choices, Offer, PaletteProps } from "./palette.pure.ts";
import { words } from "./palette-words.ts";
import { mayOpen, shownPages } from "./shown-pages.ts";

/** Pages where something is made in a project. */
const NEW = ["campaigns/new", "segments/new", "goals/new"] as const;

/** Pages, actions and projects that a person may open from where they are. */
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
  const pageOffers = shownPages(pages, me, scope)
    .filter((page) => mayOpen(page, me, scope))
    .map(({ path, label }): Offer => {
      const letter = LETTERS[path];
      return {
        ...{ id: `page ${path}`, label, act: () => openPage(path) },
        ...(letter !== undefined && { hint: words.both("g", letter) }),
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
    { group: words.groups.actions, choices: actions },
    { group: words.groups.projects, choices: projects },
  ];
}

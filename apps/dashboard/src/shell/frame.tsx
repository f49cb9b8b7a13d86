import { AppShell, Burger, Button, Group, NavLink, Select, Text, useMantineColorScheme } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { Link, Outlet, useLocation, useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { useNamed } from "../platform/address.ts";
import { isRefused, ORGANIZATION } from "../platform/client.ts";
import { keepScope } from "../platform/last-scope.ts";
import { type Me, MeContext, roleAt } from "../platform/me.ts";
import { useOperation } from "../platform/operations.ts";
import { type Page, type PersonRole, reaches, SECTIONS } from "../platform/pages.ts";
import { prolongSession } from "../platform/sign-in.ts";
import { NoWorkerAtWork } from "../ui/at-work/no-worker.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { Above, type OpenOverlay } from "./above.tsx";
import classes from "./frame.module.css";
import { NotFound } from "./not-found.tsx";
import { shownPages } from "./palette/shown-pages.ts";
import { ToSignIn } from "./to-sign-in.tsx";
import { useLeave } from "./use-leave.ts";
import { words } from "./words.ts";

type Props = { pages: readonly Page[] };

type PartProps = Props & {
  title?: string;
  scope: string;
  /** The path of the page that is open. */
  current: string;
  role: PersonRole | null;
  close: () => void;
};

/** Some pages of the navigation under their title. */
function Part({ title, pages, scope, current, role, close }: PartProps) {
  if (pages.length === 0) return null;
  const isClosed = (needed: PersonRole | null): boolean => needed !== null && !reaches(role, needed);
  return (
    <div className={classes.part}>
      {title !== undefined && (
        <Text size="xs" c="dimmed" fw={600} px="sm">
          {title}
        </Text>
      )}
      {pages.map(({ path, label, role: needed }) => (
        <NavLink
          key={path}
          className={classes.link ?? ""}
          component={Link}
          to={`/p/${scope}/${path}`}
          label={label}
          active={current === path}
          aria-current={current === path ? "page" : undefined}
          disabled={isClosed(needed)}
          aria-disabled={isClosed(needed)}
          onClick={close}
        />
      ))}
    </div>
  );
}

function Navigation({ pages, me, scope, close }: Props & { me: Me; scope: string; close: () => void }) {
  const { pathname } = useLocation();
  const navigate = useNavigate();
  // "/p", the project, the page: what follows belongs to the page.
  const current = pathname.split(`/p/${scope}/`)[1]?.split("/")[0] ?? "";
  const shown = shownPages(pages, me, scope);
  const role = roleAt(me, scope);
  const projects = me.projects.map(({ id, name }) => ({ value: id, label: name }));
  const scopes =
    me.role === null ? projects : [...projects, { value: ORGANIZATION, label: words.allProjects }];
  const open = (value: string | null): void => {
    if (value === null) return;
    void navigate({ to: "/p/$scope/$page", params: { scope: value, page: current } });
  };
  return (
    <>
      <Select
        label={words.project}
        data={scopes}
        value={scope}
        onChange={open}
        allowDeselect={false}
        searchable={scopes.length > 8}
        mb="md"
      />
      <nav aria-label={words.navigation}>
        {[undefined, ...SECTIONS].map((section) => (
          <Part
            key={section ?? ""}
            scope={scope}
            current={current}
            role={role}
            close={close}
            {...(section !== undefined && { title: words.sections[section] })}
            pages={shown.filter((page) => page.section === section)}
          />
        ))}
      </nav>
    </>
  );
}

type TopProps = { me: Me; opened: boolean; toggle: () => void; search: () => void };

function Top({ me, opened, toggle, search }: TopProps) {
  const { colorScheme, toggleColorScheme } = useMantineColorScheme();
  const leave = useLeave();
  return (
    <Group h="100%" px="md" justify="space-between" wrap="nowrap">
      <Group wrap="nowrap" gap="sm">
        <Burger opened={opened} onClick={toggle} hiddenFrom="sm" size="sm" aria-label={words.open} />
        <Text fw={650} c="tide">
          {words.tidings}
        </Text>
      </Group>
      <Group wrap="nowrap" gap="xs">
        <Button
          variant="default"
          size="compact-sm"
          onClick={search}
          aria-keyshortcuts="Meta+K Control+K"
          aria-haspopup="dialog"
        >
          {words.search}
        </Button>
        <Text size="sm" className={classes.name} visibleFrom="sm">
          {me.name}
        </Text>
        <Button
          variant="subtle"
          size="compact-sm"
          onClick={() => toggleColorScheme()}
          aria-label={words.theme}
        >
          {colorScheme === "dark" ? "☀" : "☾"}
        </Button>
        <Button variant="default" size="compact-sm" onClick={leave}>
          {words.signOut}
        </Button>
      </Group>
    </Group>
  );
}

/** What is around every page: the project, the navigation, the person. */
export function Frame({ pages }: Props) {
  const [opened, { toggle, close }] = useDisclosure();
  const [shown, show] = useState<OpenOverlay>(null);
  const scope = useNamed("scope");
  const me = useOperation(ORGANIZATION, "getMe");
  useEffect(() => {
    void prolongSession().catch(() => undefined);
  }, []);
  useEffect(() => keepScope(scope), [scope]);
  if (isRefused(me.error, 401)) return <ToSignIn />;
  return (
    <Loaded query={me}>
      {(known) =>
        roleAt(known, scope) === null ? (
          <NotFound />
        ) : (
          <MeContext value={known}>
            <AppShell
              header={{ height: 56 }}
              navbar={{ width: 240, breakpoint: "sm", collapsed: { mobile: !opened } }}
              padding="lg"
            >
              <a className={classes.skip} href="#page">
                {words.skip}
              </a>
              <AppShell.Header>
                <Top me={known} opened={opened} toggle={toggle} search={() => show("palette")} />
              </AppShell.Header>
              <AppShell.Navbar p="md" className={classes.navigation ?? ""}>
                <Navigation pages={pages} me={known} scope={scope} close={close} />
              </AppShell.Navbar>
              <AppShell.Main id="page" tabIndex={-1}>
                <NoWorkerAtWork />
                <Outlet />
              </AppShell.Main>
            </AppShell>
            <Above pages={pages} scope={scope} shown={shown} show={show} />
          </MeContext>
        )
      }
    </Loaded>
  );
}

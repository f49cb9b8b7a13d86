import {
  createRootRoute,
  createRoute,
  lazyRouteComponent,
  Navigate,
  Outlet,
  type RootRoute,
} from "@tanstack/react-router";
import { isRefused, ORGANIZATION } from "../platform/client.ts";
import { lastScope } from "../platform/last-scope.ts";
import { useOperation } from "../platform/operations.ts";
import type { Page } from "../platform/pages.ts";
import { Loaded } from "../ui/loaded.tsx";
import { Frame } from "./frame.tsx";
import { LinkPage } from "./link.tsx";
import { NotFound } from "./not-found.tsx";
import { AtScope } from "./scope.tsx";
import { SignInPage } from "./sign-in.tsx";
import { ToSignIn } from "./to-sign-in.tsx";

/** Leads to the project that was open last, else the first one. */
function Start() {
  const me = useOperation(ORGANIZATION, "getMe");
  if (isRefused(me.error, 401)) return <ToSignIn />;
  return (
    <Loaded query={me}>
      {({ projects, role }) => {
        const scopes = [...projects.filter(({ isDemo }) => !isDemo), ...projects].map(({ id }) => id);
        const last = lastScope();
        const scope =
          last !== null && scopes.includes(last)
            ? last
            : (scopes[0] ?? (role === null ? null : ORGANIZATION));
        if (scope === null) return <NotFound />;
        return <Navigate to="/p/$scope/$page" params={{ scope, page: "overview" }} replace />;
      }}
    </Loaded>
  );
}

/**
 * A page within the frame. The router loads it before it leaves the page before, and as soon as a person points at its link. Where an update
 * of the server has replaced its file, the library loads the whole dashboard anew, once.
 */
function componentOf(page: Page) {
  const Loaded = lazyRouteComponent(async () => ({ default: await page.load() }));
  const component = () => <AtScope page={page}>{(scope) => <Loaded key={scope} scope={scope} />}</AtScope>;
  return Object.assign(component, { preload: () => Loaded.preload?.() });
}

/** The routes: the ways in, and the pages of the features within the frame. */
export function routesOf(pages: readonly Page[]): RootRoute {
  const root = createRootRoute({ component: Outlet, notFoundComponent: NotFound });
  const start = createRoute({ getParentRoute: () => root, path: "/", component: Start });
  const signIn = createRoute({
    getParentRoute: () => root,
    path: "/sign-in",
    component: SignInPage,
    validateSearch: ({ to }: { to?: unknown }): { to?: string } => (typeof to === "string" ? { to } : {}),
  });
  const links = ["/welcome", "/join", "/password"].map((path) =>
    createRoute({ getParentRoute: () => root, path, component: LinkPage }),
  );
  const frame = createRoute({
    getParentRoute: () => root,
    path: "/p/$scope",
    component: () => <Frame pages={pages} />,
  });
  const within = pages.map((page) =>
    createRoute({ getParentRoute: () => frame, path: `/${page.path}`, component: componentOf(page) }),
  );
  return root.addChildren([start, signIn, ...links, frame.addChildren(within)]) as unknown as RootRoute;
}

/**
 * Calls `enter` for this page and for every other path that a single-page app moves to, also back and forth. A change of
 * query or hash is no new page.
 */
export function watchEntries(enter: () => void): void {
  let path: string | undefined;
  const check = (): void => {
    if (path === location.pathname) return;
    path = location.pathname;
    enter();
  };
  const { navigation } = window as { navigation?: EventTarget };
  if (navigation !== undefined) navigation.addEventListener("currententrychange", check);
  else {
    addEventListener("popstate", check);
    for (const name of ["pushState", "replaceState"] as const) {
      const original = history[name];
      history[name] = function (...args) {
        original.apply(this, args);
        check();
      };
    }
  }
  // A page that comes back from the browser's back/forward cache counts as entered again.
  addEventListener("pageshow", (event) => event.persisted && enter());
  check();
}

/** Resolves when the page can be seen: at once, or when its tab comes to the front. */
export async function whenVisible(): Promise<void> {
  while (document.visibilityState === "hidden")
    await new Promise((resolve) => {
      document.addEventListener("visibilitychange", resolve, { once: true });
    });
}

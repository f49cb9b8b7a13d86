const SCHEME = "data-mantine-color-scheme";

/**
 * Draws the page in the light while it is printed: browsers leave out dark grounds on paper, and the light texts on them cannot be read
 * then.
 */
export function printInTheLight(): void {
  let before: string | null = null;
  matchMedia("print").addEventListener("change", ({ matches }) => {
    const root = document.documentElement;
    if (matches) {
      before = root.getAttribute(SCHEME);
      root.setAttribute(SCHEME, "light");
    } else if (before !== null) root.setAttribute(SCHEME, before);
  });
}

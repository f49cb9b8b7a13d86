import { VisuallyHidden } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useRef } from "react";
import { useMe } from "../platform/me.ts";
import type { Page } from "../platform/pages.ts";
import { shownPages } from "./palette/shown-pages.ts";
import { useKeys } from "./palette/use-keys.ts";
import { useLeave } from "./use-leave.ts";
import { words } from "./words.ts";

/** They come when they are first opened. */
const Palette = lazy(async () => ({ default: (await import("./palette/palette.tsx")).Palette }));
const KeyList = lazy(async () => ({ default: (await import("./palette/key-list.tsx")).KeyList }));

/** What lies above the page. */
export type OpenOverlay = "palette" | "keys" | null;

type Props = { pages: readonly Page[]; scope: string; shown: OpenOverlay; show: (what: OpenOverlay) => void };

/** What keys open above the page, and what "g" waits for. */
export function Above({ pages, scope, shown, show }: Props) {
  const navigate = useNavigate();
  const leave = useLeave();
  const close = (): void => show(null);
  const isAbove = useRef(false);
  useEffect(() => {
    isAbove.current = shown !== null;
  }, [shown]);
  const openPage = (path: string, search: Readonly<Record<string, string>> = {}): void => {
    void navigate({ to: `/p/${scope}/${path}`, search: search as never }).then(() => {
      // A page may come late: what was opened above it meanwhile keeps the focus. So does the field that the address names.
      if (!isAbove.current && search.field === undefined) document.getElementById("page")?.focus();
    });
  };
  const listed = shownPages(pages, useMe(), scope);
  const isLed = useKeys({
    show,
    open: (path) => (listed.some((page) => page.path === path) ? openPage(path) : undefined),
  });
  const openProject = (to: string): void => void navigate({ to: `/p/${to}/overview` });
  return (
    <>
      <VisuallyHidden role="status">{isLed ? words.led : ""}</VisuallyHidden>
      <Suspense>
        {shown === "palette" && (
          <Palette
            pages={pages}
            scope={scope}
            close={close}
            openPage={openPage}
            openProject={openProject}
            signOut={leave}
            showKeys={() => show("keys")}
          />
        )}
        {shown === "keys" && <KeyList pages={pages} scope={scope} close={close} />}
      </Suspense>
    </>
  );
}

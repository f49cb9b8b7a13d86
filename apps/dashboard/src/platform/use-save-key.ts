import { type RefObject, useEffect, useEffectEvent, useRef } from "react";

/** Where something can be saved, and what saves it. */
type Target = { where: () => Element | null; press: () => void; isMain: boolean };

/** All that is on screen, in the order in which it came. */
const targets = new Set<Target>();

const MODAL = "[role=dialog][aria-modal=true]";

/** Which of the keys was pressed: ⌘S or Ctrl+S, ⌘↵ or Ctrl+↵; null for any other. */
function keyOf({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): "save" | "main" | null {
  if (!(ctrlKey || metaKey) || altKey || shiftKey) return null;
  if (key.toLowerCase() === "s") return "save";
  return key === "Enter" ? "main" : null;
}

/** The dialog that keys are for; null for the page, undefined where a dialog is open that has not got the focus. */
function modalOf(focus: Element | null, all: readonly Target[]): Element | null | undefined {
  const modal = focus?.closest(MODAL) ?? null;
  if (modal !== null || document.querySelector(MODAL) === null) return modal;
  // A button that was pressed and is disabled by now has lost its focus, and no other element has it.
  if (focus !== null && focus !== document.body) return undefined;
  const modals = all.map(({ where }) => where()?.closest(MODAL) ?? null);
  return modals.findLast((each) => each !== null);
}

/** What the keys are for: in a dialog before the page behind it, and of several forms in the one that has the focus. */
function meant(focus: Element | null, key: "save" | "main"): Target | undefined {
  const all = [...targets].filter(({ isMain }) => key === "main" || !isMain);
  const modal = modalOf(focus, all);
  const near = all.filter(({ where }) => (where()?.closest(MODAL) ?? null) === modal);
  const form = focus?.closest("form") ?? null;
  const own = near.filter(({ where }) => (where()?.closest("form") ?? null) === form);
  return own.findLast(({ isMain }) => isMain) ?? own.at(-1) ?? (near.length === 1 ? near[0] : undefined);
}

function hear(event: KeyboardEvent): void {
  const key = keyOf(event);
  if (key === null || event.defaultPrevented || event.isComposing) return;
  const target = meant(document.activeElement, key);
  // The browser would save the page itself.
  if (key === "save" || target !== undefined) event.preventDefault();
  if (target === undefined || event.repeat) return;
  target.press();
}

function listen(target: Target): () => void {
  if (targets.size === 0) addEventListener("keydown", hear);
  targets.add(target);
  return () => {
    targets.delete(target);
    if (targets.size === 0) removeEventListener("keydown", hear);
  };
}

/**
 * ⌘S (Ctrl+S) and ⌘↵ (Ctrl+↵) save what is saved here. A form in a dialog goes before the page behind it.
 * @param act what saves; without it the button is pressed that gets the ref, unless it is disabled
 * @param isMain ⌘↵ alone does it, because the person should have read something before
 * @returns the ref of the button, or of what the form is part of
 */
export function useSaveKey<Place extends HTMLElement>(
  act?: () => void,
  isMain = false,
): RefObject<Place | null> {
  const place = useRef<Place>(null);
  const press = useEffectEvent(() => (act === undefined ? place.current?.click() : act()));
  useEffect(() => listen({ where: () => place.current, press: () => press(), isMain }), [isMain]);
  return place;
}

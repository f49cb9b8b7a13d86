import type { Options } from "./api.ts";
import { type Card, draw } from "./card.ts";
import { type Content, type Drawing, drawingOf } from "./message.ts";
import css from "./style.css";

/** Called with what becomes of a message. */
export type Reactions = {
  /** The message is drawn, and nothing of the page lies over it. */
  shown(): void;
  clicked(): void;
  dismissed(): void;
  /**
   * Called instead of `shown`, once the page no longer covers the place of the message, which was taken away meanwhile. A message is
   * shown under the page as well where this is not given.
   */
  uncovered?(): void;
};

/** How often a message that the page throws away is put back: a page that goes on wants it gone. */
const MAX_RETURNS = 10;
/** How often it is looked whether the page still covers the place of a message. */
const LOOK_MS = 1_000;

/** An element with a shadow root, which the page's styles and selectors do not reach. */
function shadowed({ theme }: Options, frame: HTMLElement): { host: HTMLElement; root: ShadowRoot } {
  const host = document.createElement("tidings-message");
  if (theme === "light" || theme === "dark") host.style.colorScheme = theme;
  const root = host.attachShadow({ mode: "open" });
  // A constructed style sheet, because a page's Content-Security-Policy may refuse <style>.
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  root.adoptedStyleSheets = [sheet];
  root.append(frame);
  return { host, root };
}

/** Keeps the focus inside a modal when Tab is pressed; the page behind it is inert already. */
function keepFocus(event: KeyboardEvent, dialog: HTMLDialogElement, members: readonly HTMLElement[]): void {
  if (event.key !== "Tab") return;
  const active = (dialog.getRootNode() as ShadowRoot).activeElement;
  const [edge, other] = event.shiftKey ? [members[0], members.at(-1)] : [members.at(-1), members[0]];
  if (active !== edge && !(event.shiftKey && active === dialog)) return;
  event.preventDefault();
  other?.focus();
}

function modalFrame({ title, body }: Drawing, { members }: Card, dismissed: () => void): HTMLDialogElement {
  const dialog = document.createElement("dialog");
  dialog.tabIndex = -1;
  dialog.setAttribute("aria-labelledby", title === "" ? "body" : "title");
  if (title !== "" && body !== "") dialog.setAttribute("aria-describedby", "body");
  dialog.addEventListener("keydown", (event) => keepFocus(event, dialog, members));
  // The card fills the dialog, so a click on the dialog is one on the backdrop. It must begin there too: selecting text may end there.
  let pressed: EventTarget | null = null;
  dialog.addEventListener("pointerdown", ({ target }) => {
    pressed = target;
  });
  dialog.addEventListener("click", ({ target }) => target === dialog && pressed === dialog && dismissed());
  // Escape closes the dialog as well.
  dialog.addEventListener("close", dismissed);
  return dialog;
}

function toastFrame(dismissed: () => void): HTMLElement {
  const status = document.createElement("div");
  status.className = "toast";
  status.setAttribute("role", "status");
  status.addEventListener("keydown", (event) => event.key === "Escape" && dismissed());
  return status;
}

/** Whether a press on an element of this host would reach it: nothing lies over it, and nothing makes it inert. */
function canBePressed(element: HTMLElement, host: HTMLElement): boolean {
  const { left, top, width, height } = element.getBoundingClientRect();
  return document.elementFromPoint(left + width / 2, top + height / 2) === host;
}

/**
 * Puts a message into the page, and back into it where the page throws it away. Pages that loaded an older `tidings.js` call this too, so
 * it goes on taking what it takes now.
 * @returns a function that removes the message without reporting feedback; null for a message without text
 */
export function show(content: Content, options: Options, reactions: Reactions): (() => void) | null {
  const drawing = drawingOf(content, options.appSchemes ?? []);
  if (drawing === null) return null;
  const focused = document.activeElement;
  let isOpen = true;
  let returns = MAX_RETURNS;
  let look: ReturnType<typeof setInterval> | undefined;
  /** What of the message has the focus; kept while the page throws the message away, which takes the focus from it. */
  let active: Element | null = null;
  // Only the children of the page's outermost elements are watched, which costs a busy page nothing. Not those of the document:
  // `document.open` takes all listeners away, and a message that was put back would not work.
  const keeper = new MutationObserver(() => {
    if (!isOpen || host.isConnected) return;
    if (returns-- > 0) place();
    else remove();
  });

  function place(): void {
    const { documentElement, body } = document;
    for (const node of [documentElement, body]) if (node) keeper.observe(node, { childList: true });
    // A page that copies its body, for a cache, copies this element as well, without what is in it.
    for (const other of document.querySelectorAll(host.localName)) if (!other.shadowRoot) other.remove();
    (body ?? documentElement)?.append(host);
    if (frame instanceof HTMLDialogElement && host.isConnected) {
      // A dialog that was thrown away with its page says that it is open, and is not.
      frame.open = false;
      frame.showModal();
      // Focuses the frame and not its first button, which a visitor who is typing would press by accident.
      active ??= frame;
    }
    if (active instanceof HTMLElement) active.focus();
  }
  function withdraw(): void {
    keeper.disconnect();
    host.remove();
  }
  function remove(): void {
    isOpen = false;
    clearInterval(look);
    const hadFocus = document.activeElement === host;
    if (frame instanceof HTMLDialogElement) frame.close();
    withdraw();
    if (hadFocus && focused instanceof HTMLElement) focused.focus();
  }
  const once = (reaction: () => void, leave: () => void) => (): void => {
    if (!isOpen) return;
    isOpen = false;
    reaction();
    leave();
  };
  const dismissed = once(reactions.dismissed, remove);
  // The message is removed later, because a link has to be in the page while its click is handled.
  const clicked = once(reactions.clicked, () => setTimeout(remove));
  const card = draw(drawing, { clicked, dismissed }, options);
  const frame = drawing.isModal ? modalFrame(drawing, card, dismissed) : toastFrame(dismissed);
  const { host, root } = shadowed(options, frame);
  if (drawing.isModal) frame.append(card.element);
  for (const name of ["focusin", "focusout"])
    frame.addEventListener(name, () =>
      queueMicrotask(() => {
        if (host.isConnected) active = root.activeElement;
      }),
    );
  place();

  /** Looks, without drawing anything, whether the toast could be pressed where it would be. */
  function lookForPlace(uncovered: () => void): void {
    place();
    const isFree = canBePressed(card.close, host);
    withdraw();
    if (!isFree) return;
    remove();
    uncovered();
  }

  // One frame later: screen readers announce text that is added to an existing status, and an impression needs a drawn message.
  requestAnimationFrame(() => {
    if (!isOpen) return;
    if (!card.element.isConnected) frame.append(card.element);
    const { uncovered } = reactions;
    if (uncovered === undefined || canBePressed(card.close, host)) return reactions.shown();
    // A modal takes the whole page, so it does not wait for a place in it: the next page has it.
    if (drawing.isModal) return remove();
    withdraw();
    look = setInterval(lookForPlace, LOOK_MS, uncovered);
  });
  return remove;
}

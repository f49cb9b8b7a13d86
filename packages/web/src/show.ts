import type { Options } from "./api.ts";
import { type Card, draw } from "./card.ts";
import type { Drawing } from "./message.ts";
import css from "./style.css";

/** Called with what a person does with a message. */
export type Reactions = { shown(): void; clicked(): void; dismissed(): void };

/** An element with a shadow root, which the page's styles and selectors do not reach. */
function shadowed({ theme }: Options, frame: HTMLElement): HTMLElement {
  const host = document.createElement("tidings-message");
  if (theme === "light" || theme === "dark") host.style.colorScheme = theme;
  const root = host.attachShadow({ mode: "open" });
  // A constructed style sheet, because a page's Content-Security-Policy may refuse <style>.
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  root.adoptedStyleSheets = [sheet];
  root.append(frame);
  return host;
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

/**
 * Puts a message into the page.
 * @returns a function that removes the message without reporting feedback
 */
export function show(drawing: Drawing, options: Options, reactions: Reactions): () => void {
  const focused = document.activeElement;
  let isOpen = true;
  function remove(): void {
    isOpen = false;
    const hadFocus = document.activeElement === host;
    if (frame instanceof HTMLDialogElement) frame.close();
    host.remove();
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
  const host = shadowed(options, frame);
  (document.body ?? document.documentElement).append(host);
  if (frame instanceof HTMLDialogElement) {
    frame.append(card.element);
    frame.showModal();
    // Focuses the frame and not its first button, which a visitor who is typing would press by accident.
    frame.focus();
  }
  // One frame later: screen readers announce text that is added to an existing status, and an impression needs a drawn message.
  requestAnimationFrame(() => {
    if (!isOpen) return;
    if (!card.element.isConnected) frame.append(card.element);
    reactions.shown();
  });
  return remove;
}

import type { Options } from "./api.ts";
import { type Card, draw } from "./card.ts";
import type { Drawing } from "./message.ts";
import css from "./style.css";

/** Called with what a person does with a message. */
export type Reactions = { shown(): void; clicked(): void; dismissed(): void };

/** An element whose insides the page's styles and selectors do not reach. */
function shadowed({ theme }: Options, frame: HTMLElement): HTMLElement {
  const host = document.createElement("tidings-message");
  if (theme === "light" || theme === "dark") host.style.colorScheme = theme;
  const root = host.attachShadow({ mode: "open" });
  // Constructed, because a page's Content-Security-Policy may refuse <style>.
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  root.adoptedStyleSheets = [sheet];
  root.append(frame);
  return host;
}

/** Keeps Tab among the members of a modal; the page behind it is inert already. */
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
  // The card fills the dialog, so this is the backdrop. Pressed there too: marking text may end beside the card.
  let pressed: EventTarget | null = null;
  dialog.addEventListener("pointerdown", ({ target }) => {
    pressed = target;
  });
  dialog.addEventListener("click", ({ target }) => target === dialog && pressed === dialog && dismissed());
  // Also by Escape.
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
 * @returns removes it without saying why
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
  // A link has to be in the page for as long as its click lasts.
  const clicked = once(reactions.clicked, () => setTimeout(remove));
  const card = draw(drawing, { clicked, dismissed }, options);
  const frame = drawing.isModal ? modalFrame(drawing, card, dismissed) : toastFrame(dismissed);
  const host = shadowed(options, frame);
  (document.body ?? document.documentElement).append(host);
  if (frame instanceof HTMLDialogElement) {
    frame.append(card.element);
    frame.showModal();
    // Not its first button: a visitor who is typing would press it by accident.
    frame.focus();
  }
  // A frame later: a status has to be there before its text comes, and an impression is a picture that was drawn.
  requestAnimationFrame(() => {
    if (!isOpen) return;
    if (!card.element.isConnected) frame.append(card.element);
    reactions.shown();
  });
  return remove;
}

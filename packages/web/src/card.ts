import type { Options } from "./api.ts";
import type { Drawing } from "./message.ts";

/** A drawn message, its close button, and its elements that can be focused, in order. */
export type Card = { element: HTMLElement; close: HTMLElement; members: HTMLElement[] };

/** Called when a part of the message is pressed. */
export type Presses = { clicked(): void; dismissed(): void };

/** An element with a class of ours and a `part` by the same name, for the page's own styles. */
function part<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  called: string,
  set: Partial<HTMLElementTagNameMap[Name]> = {},
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  made.className = called;
  made.setAttribute("part", called);
  return Object.assign(made, set);
}

const texts = (name: "title" | "body", textContent: string): Node[] =>
  textContent === "" ? [] : [part("p", name, { id: name, textContent })];

/** A link, or a button where the message has no address. */
function actionOf(
  action: NonNullable<Drawing["action"]>,
  clicked: () => void,
  options: Options,
): HTMLElement {
  const { label: textContent, href } = action;
  const { navigate } = options;
  if (href === null) {
    const button = part("button", "action", { type: "button", textContent });
    button.addEventListener("click", clicked);
    return button;
  }
  const link = part("a", "action", { href, textContent, rel: "noopener" });
  // The click is reported first: a router that handles the link may leave this page, and its message, at once.
  link.addEventListener("click", clicked);
  link.addEventListener("auxclick", (event) => event.button === 1 && clicked());
  link.addEventListener("click", (event) => {
    const isPlain = !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    if (navigate === undefined || !isPlain || link.origin !== location.origin) return;
    event.preventDefault();
    navigate(new URL(href));
  });
  return link;
}

/** Draws a message. All of its text is set as text, never as HTML. */
export function draw(drawing: Drawing, { clicked, dismissed }: Presses, options: Options): Card {
  const { title, body, action, image } = drawing;
  const element = part("div", "card", { dir: "auto" });
  const copy = part("div", "copy");
  const close = part("button", "close", { type: "button" });
  close.setAttribute("aria-label", options.closeLabel ?? "Close");
  close.addEventListener("click", dismissed);
  const members: HTMLElement[] = [close];
  if (image !== null) {
    const media = part("img", "media", image);
    media.addEventListener("error", () => media.remove());
    element.append(media);
  }
  copy.append(...texts("title", title), ...texts("body", body));
  if (action !== null) {
    const pressed = actionOf(action, clicked, options);
    members.unshift(pressed);
    copy.append(pressed);
  }
  element.append(copy, close);
  return { element, close, members };
}

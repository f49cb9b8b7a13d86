import type { Content } from "./message.ts";
import { show } from "./show.ts";

/**
 * What the dashboard has drawn, in a frame that has no origin: a web message, by the code that draws it in a page, the HTML of a mail, or the
 * picture of a push. `scheme` is the colour scheme of the reader's page. After each drawing the frame posts its height in pixels, and the
 * origin of each picture that its policy does not let it load.
 */
type Wanted =
  | { kind: "web"; content: Content; scheme: "light" | "dark" }
  | { kind: "mail"; html: string }
  | { kind: "picture"; url: string };

const NOTHING = { shown: () => undefined, clicked: () => undefined, dismissed: () => undefined };

// A picture takes no focus: the person goes on typing in the page around it.
HTMLElement.prototype.focus = () => undefined;
const { showModal } = HTMLDialogElement.prototype;
HTMLDialogElement.prototype.showModal = function () {
  // What is inert while it opens gets no focus.
  this.inert = true;
  showModal.call(this);
  this.inert = false;
};

let remove: (() => void) | null = null;

function drawWeb({ content, scheme }: Wanted & { kind: "web" }): void {
  remove?.();
  document.documentElement.style.colorScheme = scheme;
  document.documentElement.style.background = LINES;
  remove = show(content, { key: "", theme: scheme }, NOTHING);
}

/** The lines of a page around the message, so that one sees where on it the message is. */
const LINES =
  "linear-gradient(#8883, #8883) 0 0 / 100% 40px no-repeat, " +
  "repeating-linear-gradient(#8882 0 10px, #0000 10px 28px) 24px 64px / 62% 178px no-repeat";

/** A mail takes the place of the whole page. Scripts in what a parser made never run. */
function drawMail(html: string): void {
  const { documentElement } = new DOMParser().parseFromString(html, "text/html");
  document.documentElement.replaceWith(document.adoptNode(documentElement));
}

function drawPicture(url: string): void {
  const picture = new Image();
  picture.src = url;
  picture.style.cssText = "display:block;width:100vw;height:100vh;object-fit:cover";
  document.body.replaceChildren(picture);
}

function reportHeight(): void {
  const height = Math.ceil(document.body.getBoundingClientRect().height);
  parent.postMessage({ height }, "*");
}

addEventListener("message", ({ source, data }: MessageEvent<Wanted>) => {
  if (source !== parent) return;
  if (data.kind === "mail") drawMail(data.html);
  else if (data.kind === "picture") drawPicture(data.url);
  else drawWeb(data);
  reportHeight();
});
// Images make a mail longer once they are there. Their events do not bubble.
addEventListener("load", reportHeight, true);
addEventListener("resize", reportHeight);
addEventListener("securitypolicyviolation", ({ blockedURI, effectiveDirective }) => {
  if (effectiveDirective !== "img-src" || !URL.canParse(blockedURI)) return;
  parent.postMessage({ blocked: new URL(blockedURI).origin }, "*");
});
parent.postMessage({ isReady: true }, "*");

/** What a site needs so that its browsers get pushes. */
export type BrowserSite = {
  /** Address of this server, without a path. */
  origin: string;
  /** The publishable key of the project, or what stands for it. */
  key: string;
  appId: string;
  environment: "development" | "production";
};

/** The line of the file at the root of a site. */
export const workerFile = ({ origin }: Pick<BrowserSite, "origin">): string =>
  `importScripts("${origin}/tidings-sw.js");`;

/** A text as a script in a page spells it: no text ends the script. */
const quoted = (text: string): string => JSON.stringify(text).replaceAll("<", "\\u003c");

/** The lines of a page whose button asks for pushes. */
export function pageLines({ origin, key, appId, environment }: BrowserSite): string {
  const options = [
    `key: ${quoted(key)}`,
    `appId: ${quoted(appId)}`,
    ...(environment === "production" ? [] : [`environment: ${quoted(environment)}`]),
  ];
  return `<button id="news">Tell me when there is news</button>
<script type="module">
  import { openWebPush } from "${origin}/tidings-push.js";

  const push = openWebPush({ ${options.join(", ")} });
  await push.identify("ada");
  document.querySelector("#news").onclick = () => push.subscribe();
</script>`;
}

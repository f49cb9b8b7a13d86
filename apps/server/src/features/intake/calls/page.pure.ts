import type { Fields } from "./fit.pure.ts";

/** Properties that are addresses of pages: RudderStack has further ones than Segment, and senders may say ours themselves. */
const ADDRESSES: ReadonlySet<string> = new Set([
  "referrer",
  "initial_referrer",
  "tab_url",
  "$current_url",
  "$pathname",
  "$referrer",
]);

/** An address without its query and its fragment, which may have secrets; null for what is none. */
function plainAddress(value: unknown): string | null {
  if (typeof value !== "string") return null;
  const [plain = ""] = value.split(/[?#]/, 1);
  return plain === "" ? null : plain;
}

const given = (name: string, value: unknown): Fields =>
  value === undefined || value === null || value === "" ? {} : { [name]: value };

type Seen = { name: unknown; category: unknown; properties: Fields; page: Fields };

/**
 * The properties of the event of a page or a screen that was seen: its address without query as `$current_url`, its path as `$pathname`, its name and
 * category, and what else the call says.
 * @param seen `page`: the page as the context of the call knows it
 */
export function pageProps({ name, category, properties, page }: Seen): Fields {
  const { url, path, search: _, name: ownName, category: ownCategory, ...rest } = properties;
  const others = Object.entries(rest).flatMap(([key, value]) =>
    ADDRESSES.has(key) ? Object.entries(given(key, plainAddress(value))) : [[key, value] as const],
  );
  return {
    ...given("$current_url", plainAddress(url ?? page.url)),
    ...given("$pathname", plainAddress(path ?? page.path)),
    ...given("name", name ?? ownName),
    ...given("category", category ?? ownCategory),
    ...Object.fromEntries(others),
  };
}

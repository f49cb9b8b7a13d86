/** How Tidings is set up in a page. */
export type Options = {
  /** Publishable key of the project (`pk_pub_…`). Safe in a page. */
  key: string;
  /** Address of the Tidings server. The script tag knows its own. */
  url?: string | undefined;
  /** Look of messages. `auto` (the default) follows the page's computed `color-scheme`. */
  theme?: "auto" | "light" | "dark" | undefined;
  /** Name of the close button for screen readers; `Close` when not given. */
  closeLabel?: string | undefined;
  /** Schemes that a message may open beside https, for example `["myapp"]` for `myapp://…`. */
  appSchemes?: readonly string[] | undefined;
  /** Takes over links of messages into this site, for example a router's push. */
  navigate?: ((url: URL) => void) | undefined;
  /** Whether visitors are known before `identify`, by a random id that is kept in the browser. Not, when not given. */
  visitors?: boolean | undefined;
};

/** The proof that a visitor is the user whom the page names. */
export type Proof = {
  /** HMAC-SHA-256 of the user id under the project's identity secret, in hex; made on your server. */
  userHash?: string | undefined;
};

/** The user of a page. */
export type User = { userId: string; anonymousId?: undefined } & Proof;

/** The one for whom a page asks and reports: its user, or a visitor by the random id of their browser. */
export type Viewer = User | { anonymousId: string; userId?: undefined; userHash?: undefined };

/** Traits of a user: a JSON object of at most 4 KB; keys that are not given stay as they are. */
export type Traits = Readonly<Record<string, unknown>>;

/** Properties of an event: a JSON object of at most 4 KB. */
export type Props = Readonly<Record<string, unknown>>;

let reported = "";

/** Warns on the console, once per cause, where the developers of the page look and its visitors do not. */
export function warn(cause: unknown): void {
  if (cause && !reported.includes(String(cause))) console.warn("tidings", cause);
  reported += String(cause);
}

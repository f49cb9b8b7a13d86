let told = "";

/** Says on the console what is wrong, if anything is, once per cause: whoever put us into the page sees it, and their visitors do not. */
export function warn(cause: unknown): void {
  if (cause && !told.includes(`${cause}`)) console.warn("tidings", cause);
  told += cause;
}

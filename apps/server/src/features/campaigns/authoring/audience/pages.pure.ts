/** Whether a page's path is one of those that a campaign is for. */
export type PageMatcher = (path: string) => boolean;

/** Browsers send `/gr%C3%B6%C3%9Fe` where people write `/größe`. */
function decoded(path: string): string {
  if (!path.includes("%")) return path;
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}

/** A path without query, hash and trailing slash. */
const bared = (path: string): string => {
  const end = path.search(/[?#]/);
  const bare = end === -1 ? path : path.slice(0, end);
  return bare.length > 1 && bare.endsWith("/") ? bare.replace(/\/+$/, "") || "/" : bare;
};

/** A path as it is compared with patterns: decoded, without query, hash and trailing slash. */
export const normalizePath = (path: string): string => decoded(bared(path));

/**
 * `*` stands for any characters, `/` included; the rest is literal. The parts between stars are searched from left to right, which
 * takes time proportional to the path's length, however many stars there are.
 */
function compilePattern(pattern: string): PageMatcher {
  // Split before decoding, so that an escaped star means a star of the path.
  const parts = bared(pattern).split("*").map(decoded);
  const [first = "", ...rest] = parts;
  const last = rest.pop();
  if (last === undefined) return (path) => path === first;
  const matches = (path: string): boolean => {
    if (!path.startsWith(first)) return false;
    let at = first.length;
    for (const part of rest) {
      const found = path.indexOf(part, at);
      if (found === -1) return false;
      at = found + part.length;
    }
    return path.length - last.length >= at && path.endsWith(last);
  };
  // `/docs` and `/docs/` are one page, so `/docs/*` is for both.
  return (path) => matches(path) || matches(`${path}/`);
}

/** A campaign's pages as a function of a normalized path; null means everywhere. */
export function compilePages(pages: readonly string[] | null): PageMatcher {
  if (pages === null) return () => true;
  const matchers = pages.map(compilePattern);
  return (path) => matchers.some((matches) => matches(path));
}

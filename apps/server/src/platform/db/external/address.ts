import pg from "pg";

/** The form of DATABASE_URL, for refusals. */
export const DATABASE_URL_RULE =
  "must be a postgres:// address: user:password@ (percent-encoded: # is %23, % is %25, / is %2F, ? is %3F, @ is %40), a host, :port where it is not 5432, /database";

const ONE_HOST = "names several hosts, and must name one: an address that leads to whichever is the primary";

/** How the driver reads an address. @throws where it cannot, for a certificate that it cannot read as well */
const readBy = (url: string): pg.Client => new pg.Client({ connectionString: plainTlsMode(url) });

/** What an address that is not escaped is read as: a piece of the password becomes the host, the database or an option. */
const isMisread = ({ pathname, search, hash }: URL): boolean =>
  hash !== "" ||
  /[@/]/.test(pathname.slice(1)) ||
  search
    .slice(1)
    .split("&")
    .some((option) => option.includes("@") && !option.includes("="));

/**
 * Why DATABASE_URL cannot be used, or null. The address is never repeated, nor a part of it: where the password is not escaped, it may be
 * in any part.
 */
export function databaseUrlFault(text: string): string | null {
  const authority = /^postgres(?:ql)?:\/\/([^/?#]*)/i.exec(text)?.[1];
  if (authority?.slice(authority.lastIndexOf("@") + 1).includes(",")) return ONE_HOST;
  if (/[?&]host=[^&]*(?:,|%2C)/i.test(text)) return ONE_HOST;
  if (authority === undefined || !URL.canParse(text) || isMisread(new URL(text))) return DATABASE_URL_RULE;
  try {
    const { user, database, host, password } = readBy(text);
    // The protocol ends each of them with a NUL.
    return [user, database, host, password].some((part) => /\0/.test(String(part)))
      ? DATABASE_URL_RULE
      : null;
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    // Certificates and keys are the only files that an address names.
    return syscall === undefined
      ? DATABASE_URL_RULE
      : `names a file of a certificate or key (sslrootcert, sslcert, sslkey) that cannot be read: ${code}`;
  }
}

/**
 * The driver takes the modes `prefer`, `require` and `verify-ca` for `verify-full`, and prints eight lines about it. Here they are
 * written as what they mean.
 */
export const plainTlsMode = (url: string): string =>
  /[?&]uselibpqcompat=true(?:&|$)/.test(url)
    ? url
    : url.replace(/([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/, "$1verify-full");

/**
 * An address without its `options`, and these: the driver would take them instead of those that a pool has of its own.
 */
export function withoutOptions(url: string): { connectionString: string; options: string } {
  const plain = plainTlsMode(url);
  if (!/[?&]options=/.test(plain)) return { connectionString: plain, options: "" };
  const parsed = new URL(plain);
  const options = parsed.searchParams.get("options") ?? "";
  parsed.searchParams.delete("options");
  return { connectionString: parsed.href, options };
}

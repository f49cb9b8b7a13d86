/** What a run was asked for. */
export type RunArguments = {
  /** Parts of paths; none for all files. */
  parts: string[];
  /** Every file wholly, also slow ones. */
  isAll: boolean;
  /** Every file wholly, with more rounds of those that try their luck. */
  isLong: boolean;
  /** The revision from which on changes count, or null where they do not. */
  since: string | null;
  /** How long after the start of the run files are still begun, in milliseconds. */
  withinMs: number;
  /** Flags of Node's, for the workers. */
  flags: string[];
};

/**
 * Reads the arguments of a run: parts of paths, `--all`, `--long`, `--changed[=<revision>]`, `--within=<seconds>`; other flags are Node's.
 * @throws Error for a time that is none, or a revision without a name
 */
export function readArguments(given: readonly string[]): RunArguments {
  const read: RunArguments = {
    parts: [],
    isAll: false,
    isLong: false,
    since: null,
    withinMs: Number.POSITIVE_INFINITY,
    flags: [],
  };
  for (const argument of given) {
    const [name = "", value] = argument.split(/=(.*)/s);
    if (!argument.startsWith("-")) read.parts.push(argument);
    else if (argument === "--all") read.isAll = true;
    else if (argument === "--long") read.isLong = true;
    else if (name === "--changed") read.since = value ?? "HEAD";
    else if (name === "--within") read.withinMs = Number(value) * 1_000;
    else read.flags.push(argument);
  }
  if (read.since === "")
    throw new Error(
      "--changed=main names the revision from which on changes count; --changed alone takes the last commit.",
    );
  if (!(read.withinMs > 0))
    throw new Error("--within is how many seconds files may still be begun, as in --within=3600.");
  return read;
}

import type { Drafted, Drafter, SourceClaim } from "./drafter.ts";
import { draftSubjects, inOneLine } from "./subject-lines.ts";

/**
 * The drafter `plain@2`. It never changes: runs name it. Like `plain@1` it announces what commits say of themselves, but it knows what
 * programs write (updates of dependencies, versions, merges), and takes marks of trackers and of conventions off the titles. In doubt it
 * announces: a person takes out a line too many more easily than one that is missing.
 */

/** A ticket of a tracker, such as ABC-123; not the name of a standard. */
const TICKET = String.raw`(?!(?:UTF|ISO|SHA|AES|RSA|RFC|MD|GPT|WCAG|COVID|TLS|HTTP|USB|WPA|IPV|X)-)[A-Z][A-Z0-9_]{1,9}-\d+`;
/** A ticket, an issue, a pull request, or the address of one. */
const REFERENCE = String.raw`(?:(?:[\w.-]+\/[\w.-]+)?[#!]\d+|GH-\d+|${TICKET}|https?:\/\/[^\s,]+)`;
const REFERENCES = String.raw`${REFERENCE}(?:(?:\s*,\s*|\s+(?:and\s+|&\s+)?)${REFERENCE})*`;
const CLOSES =
  "(?:fix(?:es|ed)?|close[sd]?|resolve[sd]?|implements|refs?|references|see|part of|related to|pull request|pr|mr)";

const KIND =
  "(?:feat|feature|features|fix|bug|bugfix|hotfix|perf|performance|improve|improvement|enhancement|security|ui|ux|a11y|i18n|l10n)";
const UNNOTICED_KIND =
  "(?:build|chore|ci|cd|deps|docs?|infra|internal|lint|refactor|revert|style|tests?|typo|wip)";

const ANY_CASE = "iu";
const EMOJI = String.raw`(?:\p{Regional_Indicator}{2}|(?![©®™])\p{Extended_Pictographic}[\ufe0f\p{Emoji_Modifier}]*(?:\u200d\p{Extended_Pictographic}[\ufe0f\p{Emoji_Modifier}]*)*)`;

/** Gitmoji, as codes and as characters. */
const GITMOJI: readonly RegExp[] = [/^:[a-z][a-z0-9_+-]*:\s*/iu, new RegExp(`^${EMOJI}\\s*`, "u")];

/** `ABC-123: `, `[ABC-123] `, `(#12) - `; without any of these only before a new beginning: `ABC-123 Add`. */
const TICKETS: readonly RegExp[] = [
  new RegExp(
    String.raw`^(?:[[(]${REFERENCES}[\])]\s*[:|–—-]?|${REFERENCES}(?:\s*[:|]|\s+[–—-](?=\s)))\s*`,
    "u",
  ),
  new RegExp(String.raw`^${REFERENCE}\s+(?=\p{Lu}|:[a-z]|${EMOJI})`, "u"),
];

/** What stands before a title and says nothing to users. */
const BEFORE: readonly RegExp[] = [
  ...GITMOJI,
  ...TICKETS,
  new RegExp(String.raw`^${KIND}(?:\([^)]*\))?!?:\s*`, ANY_CASE),
  new RegExp(String.raw`^\[${KIND}\]\s*:?\s*`, ANY_CASE),
  // What a branch was called, which hosts take for the title.
  /^(?:feature|feat|fix|bugfix|hotfix)\/(?=\S)/iu,
  /^merged pr \d+:\s*/iu,
  /^\[(?:skip ci|ci skip|no ci|skip-ci)\]\s*/iu,
];

/** What stands behind a title and says nothing to users. */
const BEHIND: readonly RegExp[] = [
  new RegExp(String.raw`\s*[([](?:${CLOSES}:?\s+)?${REFERENCES}[)\]]$`, ANY_CASE),
  new RegExp(String.raw`(?:^|\s*[,;.–—-]\s*|\s+)${CLOSES}:?\s+${REFERENCES}\.?$`, ANY_CASE),
  /(?:^|\s*[,;–—-]\s*|\s+)#\d+$/u,
  new RegExp(String.raw`\s+[–—|-]\s*${REFERENCES}$`, "u"),
  /\s*\[(?:skip ci|ci skip|no ci|skip-ci)\]$/iu,
  /\s+:[a-z][a-z0-9_+-]*:$/iu,
  /\s+(?:signed-off-by|co-authored-by|reviewed-by|acked-by|tested-by|change-id):\s.*$/iu,
  /(?<!\.)\.$/u,
];

const wholeTitle = (patterns: readonly string[]): readonly RegExp[] =>
  patterns.map((pattern) => new RegExp(`^(?:${pattern})$`, ANY_CASE));

const isAny = (patterns: readonly RegExp[], text: string): boolean =>
  patterns.some((pattern) => pattern.test(text));

/** Takes off what any of the patterns matches, until none does. */
function without(text: string, patterns: readonly RegExp[]): string {
  const rest = patterns.reduce((left, pattern) => left.replace(pattern, "").trim(), text);
  return rest === text ? text : without(rest, patterns);
}

/** `Reapply "X"` and `Revert "Revert "X""` bring X back. */
const REAPPLIED = /^(?:reapply\s+["“](.+)["”]|revert\s+["“]revert\s+["“](.+)["”]["”])$/iu;

/** The longest line that is read. A subject is hardly ever longer, and what is behind that is cut off in a title anyway. */
const MOST_READ = 500;

/** The first line. A long title of a pull request goes on in the text, where its host has cut it. */
function subjectOf(message: string): string {
  const [first = "", ...more] = message.split("\n");
  const next = more.find((line) => line.trim() !== "")?.trim() ?? "";
  const whole = /(?:…|\.{3})$/u.test(first.trim()) && /^(?:…|\.{3})\S/u.test(next);
  const subject = whole
    ? first.trim().replace(/(?:…|\.{3})$/u, "") + next.replace(/^(?:…|\.{3})/u, "")
    : first;
  return inOneLine(subject.slice(0, MOST_READ));
}

/** With a capital, but for a name that has one within it, such as iOS. */
const withCapital = (text: string): string =>
  /^\p{Ll}\S*\p{Lu}/u.test(text) ? text : text.charAt(0).toLocaleUpperCase("en") + text.slice(1);

/** What a commit says of itself, for users. */
function titleOf(message: string): string {
  const bare = without(without(subjectOf(message), BEFORE), BEHIND);
  const [, again, twice] = REAPPLIED.exec(bare) ?? [];
  const inner = again ?? twice;
  return withCapital(inner === undefined ? bare : without(without(inner, BEFORE), BEHIND));
}

const CHANGE = "(?:bump|bumps|update|updates|upgrade|upgrades|downgrade|pin|roll)";
const PACKAGE = String.raw`[@\w][\w@./:+-]*`;
const PLACE = String.raw`(?:\s+in\s+(?:\S*\/\S*|the\s+\S+\s+group).*)?`;
const REMARK = String.raw`(?:\s+[[(](?:security|major|minor|patch)[\])])?`;
/** What may stand before "dependencies" where these are packages, and not tasks that wait for each other. */
const OF_CODE =
  "(?:all|the|our|dev|development|production|runtime|build|test|direct|indirect|transitive|outdated|vulnerable|third-party|non-major|major|minor|patch|project|frontend|backend|npm|yarn|pnpm|node|js|python|pip|php|composer|ruby|gem|go|rust|cargo|java|maven|gradle|docker|github|actions)";
const KIND_OF_PACKAGE =
  "(?:action|docker tag|docker digest|monorepo|orb|packages?|module|rust crate|helm release|terraform|plugin|digest)";

/** Updates of dependencies as Renovate, Dependabot and people write them, each as a whole title. */
const DEPENDENCIES = wholeTitle([
  String.raw`${CHANGE} ${PACKAGE}(?: and ${PACKAGE})? (?:requirement )?from [~^<>=v]*\d\S* to [~^<>=v]*\d\S*${PLACE}${REMARK}`,
  `bumps? ${PACKAGE}(?:, ${PACKAGE}){0,9},? and ${PACKAGE}${PLACE}`,
  String.raw`bumps? the \S+ group(?: across \d+ director(?:y|ies))?(?: in \S+)? with \d+ updates?(?: .*)?`,
  String.raw`(?:${CHANGE}|refresh|replace) (?:\S+ )?dependency \S+ (?:to|with|from) (?:\S+ )?[\w@~^<>=].*`,
  String.raw`(?:${CHANGE}|refresh) (?:${OF_CODE} ){0,4}(?:dependencies|deps|devdependencies)(?: to .*| \([^)]*\))?`,
  "(?:dependencies|deps|dependency) (?:updates?|bumps?|upgrades?)",
  String.raw`${CHANGE} (?!the |a |an )(?:\S+ ){0,2}${KIND_OF_PACKAGE}(?: \S+)? to v?\d[\w.+-]*${REMARK}`,
  String.raw`${CHANGE} \S+ (?:docker )?digest to [0-9a-f]{6,40}`,
  String.raw`(?:bumps? ${PACKAGE} to v?\d\S*|${CHANGE} ${PACKAGE} to v?\d+\.\d+\.\d+\S*)`,
  "(?:configure|migrate config|migrate) renovate.*",
  String.raw`(?:${CHANGE}|refresh|regenerate) (?:\S+ )?lock[ -]?files?`,
  String.raw`(?:\S+ )?lock[ -]?file (?:maintenance|updates?)`,
  String.raw`(?:(?:${CHANGE}|refresh|regenerate) )?\S*(?:package-lock\.json|yarn\.lock|pnpm-lock\.yaml|gemfile\.lock|cargo\.lock|composer\.lock|poetry\.lock|uv\.lock|go\.sum)`,
]);

/** What a product limits or sells: `Bump the limit from 5 to 10` is about no package. */
const QUANTITY =
  /(?:^|\s)(?:age|cap|capacity|count|duration|fee|length|limit|max|maximum|min|minimum|number|period|price|pricing|quota|rate|retention|seat|size|storage|threshold|timeout|trial|window|zoom)s?(?:\s|$)/iu;

const STAGE = "(?:alpha|beta|rc|dev|next|pre|preview|canary|snapshot|nightly|final|lts|release|\\d)";
const VERSION = String.raw`v?\d+(?:\.\d+)*(?:[-+.]?${STAGE}[-+.\w]*)?(?: \(?${STAGE}[-+.\w]*\)?){0,3}`;

/** What programs and developers do for themselves, each as a whole title. */
const OWN_WORK = wholeTitle([
  // Versions, and what release tools write.
  `(?:(?:release|released|version|tag|cut|publish|prepare(?: for)?(?: the)? release(?: of)?|bump(?: the)?(?: version)?(?: to)?|start)[: ]+)?(?:release |version )?${VERSION}`,
  String.raw`(?:release |publish )?@?[\w./-]+(?:@\d+(?:\.\d+)+| v\d+\.\d+\.\d+)\S*`,
  "(?:bump|update|increment|set)(?: the| package| app)? versions?(?: numbers?)?(?: to .*| from .* to .*| for (?:the )?(?:next )?release)?",
  String.raw`version (?:bump|packages)|release|new release|publish|release candidate(?: \S+)?|prepare(?: for)?(?: the)?(?: next)? (?:release|development iteration|version)`,
  // Merges, and what takes a commit back.
  String.raw`merge (?:pull request|remote-tracking|branch(?:es)? ['"\x60]|branch \S+ (?:into|of)|tag ['"\x60]|commit ['"\x60]?[0-9a-f]{7}|['"\x60]).*`,
  String.raw`merge \S+(?:\/\S+ into \S+| into (?:main|master|develop|dev|trunk|staging|production|release\S*))`,
  String.raw`merge (?:branch )?(?:main|master|develop|dev|trunk|upstream|origin)(?:\/\S+)?(?: into \S+)?`,
  String.raw`merged in \S+`,
  String.raw`reverts?:? (?:["'“«].*|commit\b.*|merge\b.*|pr\b.*|pull request\b.*|#\d.*|[0-9a-f]{7,40}|(?:${UNNOTICED_KIND}|${KIND})[(:!].*)`,
  // References alone, beginnings, leftovers, and what editors of hosts write.
  REFERENCES,
  String.raw`(?:fixup|squash|amend)! .*|\[(?:wip|draft)\].*|wip|wip ?[:-].*|work in progress(?: ?[:-].*)?`,
  "(?:initial|first) commit|init|tmp|temp|typos?|fix(?:es)?|update|updates|changes|cleanup|clean up|lint|format|formatting",
  "fix(?:es|ed)? (?:a |the |some )?(?:typos?|lint|linting|tests?|build|ci|review|review comments)",
  "address (?:pr |code |review ){0,2}(?:comments|feedback)|(?:pr|code|review|code review|pr review) (?:comments|feedback)",
  String.raw`add files via upload|(?:update|create|delete|rename) [\w./-]*\.(?:md|txt|json|ya?ml|toml|lock|[mc]?[jt]sx?|py|rb|go|rs|java|kt|swift|css|html|sh|sql|gitignore)`,
  "(?:signed-off-by|co-authored-by|reviewed-by|change-id): .*",
]);

/** Kinds of commits that users do not notice, and parts of a product that they do not see. */
const UNNOTICED_KINDS = new RegExp(
  String.raw`^(?:${UNNOTICED_KIND}(?:\([^)]*\))?!?:|\[${UNNOTICED_KIND}\]|\w+\((?:[^)]*[,/ ])?(?:deps(?:-dev)?|dependencies|renovate|ci|tests?)\)!?:)`,
  ANY_CASE,
);

/** Marks of gitmoji for updates of dependencies, versions, merges, reverts, and builds. */
const UNNOTICED_GITMOJI =
  /^(?::(?:arrow_up|arrow_down|pushpin|heavy_plus_sign|heavy_minus_sign|bookmark|twisted_rightwards_arrows|rewind|construction|construction_worker|green_heart):|[⬆⬇📌➕➖🔖🔀⏪🚧👷💚])/u;

function isNoticed(message: string): boolean {
  const subject = subjectOf(message);
  const title = titleOf(message);
  const isForDevelopers =
    UNNOTICED_GITMOJI.test(without(subject, TICKETS)) ||
    UNNOTICED_KINDS.test(without(subject, [...GITMOJI, ...TICKETS])) ||
    isAny(OWN_WORK, title);
  return !isForDevelopers && (QUANTITY.test(title) || !isAny(DEPENDENCIES, title));
}

/** What `plain@2` makes of a claim. */
export const draftPlainly2 = (claim: SourceClaim): Drafted => draftSubjects(claim, { titleOf, isNoticed });

export const plain2: Drafter = {
  name: "plain@2",
  maxSeconds: 30,
  draft: async (claim) => draftPlainly2(claim),
};

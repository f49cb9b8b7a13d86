import { LEAVING_NAMES, wordsOf } from "../../email/addresses/leaving-names.pure.ts";
import type { ImportKind, StopRule } from "../schema.ts";
import { columnOf, plainName } from "./names.pure.ts";
import { areInstants, areYesOrNo, type Samples } from "./samples.pure.ts";

type Reason = StopRule["reason"];

/** Columns that say yes of an address that gets mail. */
const STAYED = wordsOf(
  "subscribed issubscribed emailsubscribed acceptsmarketing acceptsemailmarketing optedin optin emailoptin marketingoptin marketingconsent emailconsent emailmarketingconsent",
);
const NO_TEXTS = ["false", "f", "no", "n", "0"];
const REASON_NAMES = wordsOf("reason suppressionreason suppressiontype");
const STATUS_NAMES = wordsOf(
  "status state type emailstatus emailstate subscriptionstatus subscriptionstate subscriberstatus emailsubscribe emailsubscriptionstatus",
);
const TEXTS: readonly (readonly [Reason, readonly string[]])[] = [
  [
    "unsubscribed",
    ["unsubscribed", "unsubscribe", "unsub", "opted_out", "opted out", "opted-out", "optout", "opt_out"],
  ],
  [
    "bounced",
    ["bounced", "bounce", "hard_bounce", "hard bounce", "hardbounce", "hard-bounce", "cleaned", "invalid"],
  ],
  [
    "complained",
    ["complained", "complaint", "spam", "spam_complaint", "spam complaint", "spamreport", "abuse"],
  ],
  ["manual", ["manual", "blocklisted", "blacklisted", "blocked", "suppressed", "disabled"]],
];
const KNOWN_TEXTS = new Set(TEXTS.flatMap(([, texts]) => texts));
/** As many rules as a mapping may have. */
const MOST_RULES = 10;

/** A rule of a column whose name says that the address left, by what its values are. */
function ruleOfLeaving(column: string, reason: Reason, { values }: Samples): StopRule | null {
  const given = values(column);
  // Where no line of the samples has a value, the few that have one left.
  if (given.length === 0) return { column, when: "given", reason };
  if (areYesOrNo(given)) return { column, when: "true", reason };
  return areInstants(given) ? { column, when: "given", reason, at: column } : null;
}

function rulesOfColumn(column: string, samples: Samples, since: string | undefined): StopRule[] {
  const name = plainName(column);
  const [reason] = LEAVING_NAMES.find(([, names]) => names.has(name)) ?? [];
  if (reason !== undefined) return [ruleOfLeaving(column, reason, samples) ?? []].flat();
  const given = samples.values(column);
  if (STAYED.has(name)) return areYesOrNo(given) ? [{ column, when: NO_TEXTS, reason: "unsubscribed" }] : [];
  if (!REASON_NAMES.has(name) && !STATUS_NAMES.has(name)) return [];
  if (!given.some((value) => typeof value === "string" && KNOWN_TEXTS.has(value.trim().toLowerCase())))
    return [];
  return TEXTS.map(([why, texts]) => ({ column, when: [...texts], reason: why, at: since }));
}

const withoutNothing = ({ at, ...rule }: StopRule): StopRule => (at === undefined ? rule : { ...rule, at });

/**
 * The rules that say which lines are about an address that gets no mail, by names and values of columns.
 * @param isAnyLine whether in a file of suppressions without such a column, each line is about one
 */
export function guessStops(kind: ImportKind, samples: Samples, isAnyLine: boolean): StopRule[] {
  if (kind === "events") return [];
  const { columns } = samples.format;
  const since = kind === "suppressions" ? columnOf("since", samples, new Set()) : undefined;
  // That an instant is there says the same of a list that has its reasons beside it.
  const hasReasons = kind === "suppressions" && columns.some((column) => REASON_NAMES.has(plainName(column)));
  const rules = columns
    .filter((column) => !(hasReasons && column === since))
    .flatMap((column) => rulesOfColumn(column, samples, since));
  const found = rules.slice(0, MOST_RULES - 1);
  if (kind === "suppressions" && isAnyLine && (found.length === 0 || hasReasons))
    found.push({ column: null, when: "always", reason: hasReasons ? "manual" : "unsubscribed", at: since });
  return found.map(withoutNothing);
}

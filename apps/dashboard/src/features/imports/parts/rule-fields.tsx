import { CloseButton, Group, NativeSelect, TextInput } from "@mantine/core";
import { optionsOf } from "../../../ui/options.ts";
import type { StopRule } from "../mapping.pure.ts";
import { words } from "../words.ts";

const REASONS = ["unsubscribed", "bounced", "complained", "manual"] as const;
type Whens = keyof typeof words.whens;

const whenOf = ({ when }: StopRule): Whens => (Array.isArray(when) ? "texts" : when);

/** A rule in words, where it cannot be changed. */
export function ruleText(rule: StopRule): string {
  const { column, when, reason } = rule;
  if (column === null) return words.everyLineIs(words.reasons[reason]);
  const texts = Array.isArray(when) ? ` ${when.join(", ")}` : "";
  return words.ruleSentence(column, words.whens[whenOf(rule)] + texts, words.reasons[reason]);
}

/** The same rule with another condition. What is about every line names no column. */
function withWhen(rule: StopRule, when: Whens, columns: readonly string[]): StopRule {
  if (when === "always") return { ...rule, when, column: null };
  const column = rule.column ?? columns[0] ?? "";
  return { ...rule, column, when: when === "texts" ? [] : when };
}

const textsIn = (typed: string): string[] =>
  typed
    .split(",")
    .map((text) => text.trim())
    .filter((text) => text !== "");

type Props = {
  /** Which rule it is, from 1. */
  place: number;
  columns: readonly string[];
  rule: StopRule;
  change: (rule: StopRule) => void;
  remove: () => void;
};

/** A rule as fields: which column says what, why the address gets no mail, and since when. */
export function RuleFields({ place, columns, rule, change, remove }: Props) {
  const { column, reason, at } = rule;
  const when = whenOf(rule);
  const since = (chosen: string): StopRule => {
    const { at: _, ...others } = rule;
    return chosen === "" ? others : { ...rule, at: chosen };
  };
  return (
    <Group role="group" aria-label={words.rule(place)} align="flex-end" gap="xs">
      {column !== null && (
        <NativeSelect
          label={words.ruleColumn}
          maw="14rem"
          data={[...columns]}
          value={column}
          onChange={({ currentTarget }) => change({ ...rule, column: currentTarget.value })}
        />
      )}
      <NativeSelect
        label={words.ruleWhen}
        data={optionsOf(words.whens)}
        value={when}
        onChange={({ currentTarget }) => change(withWhen(rule, currentTarget.value as Whens, columns))}
      />
      {Array.isArray(rule.when) && (
        <TextInput
          label={words.ruleTexts}
          defaultValue={rule.when.join(", ")}
          onChange={({ currentTarget }) => change({ ...rule, when: textsIn(currentTarget.value) })}
        />
      )}
      <NativeSelect
        label={words.ruleReason}
        data={optionsOf(words.reasons)}
        value={reason}
        onChange={({ currentTarget }) => {
          const chosen = REASONS.find((each) => each === currentTarget.value);
          if (chosen !== undefined) change({ ...rule, reason: chosen });
        }}
      />
      <NativeSelect
        label={words.ruleAt}
        maw="14rem"
        data={[{ value: "", label: words.ruleNow }, ...columns]}
        value={at ?? ""}
        onChange={({ currentTarget }) => change(since(currentTarget.value))}
      />
      <CloseButton aria-label={words.removeRule(place)} onClick={remove} mb={6} />
    </Group>
  );
}

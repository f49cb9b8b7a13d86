import { Code, Group, Paper, Stack, Text } from "@mantine/core";
import type { Answer } from "@tidings/client";
import type { ReactNode } from "react";
import { timeOf } from "../../platform/times.ts";
import { useCampaignWords } from "../campaigns/campaign-names.ts";
import { campaignStatuses } from "../campaigns/campaign-statuses.ts";
import { describeOnce } from "../campaigns/once-words.ts";
import { describeTimingValue } from "../campaigns/timing-words.ts";
import { isVisitorsMet, visitorsWords } from "../campaigns/visitors-words.ts";
import long from "../look/long.module.css";
import { opsInWords } from "../texts/ops-in-words.pure.ts";
import { WordDiff, type WordOps } from "../texts/word-diff.tsx";
import { words } from "./words.ts";

type Review = Pick<Answer<"reviewCampaign">, "changes" | "texts" | "names">;
type Status = keyof typeof campaignStatuses;
type Variants = readonly { id: string; name: string }[];

const TIMES = ["deliverFrom", "deliverUntil"];

const isStatus = (value: unknown): value is Status => typeof value === "string" && value in campaignStatuses;

/** A value of a field as people read it: one of several fields by their names, a line each. */
function shownValue(path: string, value: unknown): string {
  const timing = describeTimingValue(path, value);
  if (timing !== null) return timing;
  if (value === null || value === undefined) return path === "pages" ? words.everyPage : words.nothing;
  if (TIMES.includes(path) && typeof value === "number") return timeOf(value);
  if (/(^|\.)status$/.test(path) && isStatus(value)) return campaignStatuses[value];
  if (path === "visitors" && isVisitorsMet(value)) return visitorsWords.choices[value];
  if (path === "once") return describeOnce(value === true);
  if (typeof value === "boolean") return value ? words.yes : words.no;
  if (Array.isArray(value)) return value.map((each) => shownValue(path, each)).join(", ");
  if (typeof value !== "object") return String(value);
  return Object.entries(value)
    .filter(([, each]) => each !== null && each !== undefined)
    .map(([field, each]) => `${words.fieldOf(fieldWithin(`${path}.${field}`))}: ${shownValue(field, each)}`)
    .join("\n");
}

/** The path of a field within the message that it is a part of. */
const fieldWithin = (path: string): string => path.replace(/^(variants\[[^\]]+\]\.)?message\.?/, "");

/** The name of a field for a person: a variant by its name, a field of the form by its label. */
export function nameOfField(path: string, variants: Variants): string {
  const [, id, rest = ""] = /^variants\[([^\]]+)\]\.(.*)$/.exec(path) ?? [];
  if (id === undefined) return words.fieldOf(path);
  const known = variants.find((variant) => variant.id === id)?.name;
  const field = words.fieldOf(fieldWithin(rest));
  return `${known === undefined ? words.newVariant : words.variant(known)}: ${field}`;
}

/** A value; of a thing that has a name, the name with its id beside it. */
function Value({ value, name }: { value: string; name: string | undefined }) {
  return (
    <div>
      <Code className={long.long} style={{ whiteSpace: "pre-line" }}>
        {name ?? value}
      </Code>
      {name !== undefined && (
        <Text size="xs" c="dimmed" className={long.long}>
          {value}
        </Text>
      )}
    </div>
  );
}

type ChangedProps = {
  /** The field, as people call it. */
  name: string;
  before: string;
  after: string;
  /** Where it is a text: what becomes of each word. */
  ops?: WordOps | undefined;
  /** The names of things by their ids. */
  names?: Review["names"];
};

/** A field before and after; a text word by word. */
export const Changed = ({ name, before, after, ops, names = {} }: ChangedProps) => (
  // A group, because a page that shows what moved as well has a second one of the same name.
  <Stack gap={0} role="group" aria-label={name}>
    <Text fw={600} size="sm">
      {name}
    </Text>
    {ops !== undefined ? (
      <WordDiff ops={ops} />
    ) : (
      <Group gap="xs" align="flex-start">
        <Value value={before} name={names[before]} />
        <Text size="sm" aria-hidden>
          {words.becomes}
        </Text>
        <Value value={after} name={names[after]} />
      </Group>
    )}
  </Stack>
);

/** What is there now beside what a person wrote, which takes its place: in a conflict. The colours are made for the ground of the page. */
export const Theirs = ({ children }: { children: ReactNode }) => (
  <Paper p="sm">
    <Text size="sm" mb="xs">
      {words.legend}
    </Text>
    {children}
  </Paper>
);

type Props = Review & {
  scope: string;
  /** The variants that the changes may name. */
  variants: Variants;
};

const isAudience = ({ path }: { path: string }): boolean => path === "audience";

/** Every field that changes, before and after; texts word by word. */
export function Changes({ scope, changes, texts, names, variants }: Props) {
  const audiences = changes.filter(isAudience).flatMap(({ before, after }) => [before, after].map(String));
  const written = useCampaignWords(scope, audiences);
  const opsOf = (path: string): WordOps | undefined => {
    // Codes of the API are no texts that people compare word by word.
    if (path.startsWith("sendTime.")) return undefined;
    const text = texts.find((each) => each.path === path);
    return text !== undefined && isAudience(text) ? opsInWords(text.ops, written) : text?.ops;
  };
  return (
    <Stack gap="sm">
      {changes.map(({ path, before, after }) => (
        <Changed
          key={path}
          name={nameOfField(path, variants)}
          before={shownValue(path, before)}
          after={shownValue(path, after)}
          ops={opsOf(path)}
          names={names}
        />
      ))}
    </Stack>
  );
}

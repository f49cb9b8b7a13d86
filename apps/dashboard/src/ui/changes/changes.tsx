import { Code, Group, Stack, Text } from "@mantine/core";
import type { Answer } from "@tidings/client";
import { timeOf } from "../../platform/times.ts";
import long from "../long.module.css";
import { choiceOf } from "../once-words.ts";
import { WordDiff } from "../word-diff.tsx";
import { words } from "./words.ts";

type Review = Pick<Answer<"reviewCampaign">, "changes" | "texts">;
type Change = Review["changes"][number];
type Variants = readonly { id: string; name: string }[];

const TIMES = ["deliverFrom", "deliverUntil"];

function shownValue({ path }: Change, value: unknown): string {
  if (value === null) return path === "pages" ? words.everyPage : words.nothing;
  if (TIMES.includes(path) && typeof value === "number") return timeOf(value);
  if (Array.isArray(value) && value.every((each) => typeof each === "string")) return value.join(", ");
  if (typeof value === "boolean" && path !== "once") return value ? words.yes : words.no;
  if (path === "once") return choiceOf(value === true);
  return typeof value === "object" ? JSON.stringify(value, null, 2) : String(value);
}

/** The name of a field for a person: a variant by its name, a field of the form by its label. */
export function nameOfField(path: string, variants: Variants): string {
  const [, id, rest = ""] = /^variants\[([^\]]+)\]\.(.*)$/.exec(path) ?? [];
  if (id === undefined) return words.fieldOf(path);
  const known = variants.find((variant) => variant.id === id)?.name;
  const field = words.fieldOf(rest.replace(/^message\.?/, ""));
  return `${known === undefined ? words.newVariant : words.variant(known)}: ${field}`;
}

type Props = Review & {
  /** The variants that the changes may name. */
  variants: Variants;
};

/** Every field that changes, before and after; texts word by word. */
export const Changes = ({ changes, texts, variants }: Props) => (
  <Stack gap="sm">
    {changes.map((change) => {
      const { path, before, after } = change;
      const name = nameOfField(path, variants);
      const ops = texts.find((text) => text.path === path)?.ops;
      return (
        // A group, because a page that shows what moved as well has a second one of the same name.
        <Stack key={path} gap={0} role="group" aria-label={name}>
          <Text fw={600} size="sm">
            {name}
          </Text>
          {ops !== undefined ? (
            <WordDiff ops={ops} />
          ) : (
            <Group gap="xs" align="flex-start">
              <Code className={long.long}>{shownValue(change, before)}</Code>
              <Text size="sm" aria-hidden>
                {words.becomes}
              </Text>
              <Code className={long.long}>{shownValue(change, after)}</Code>
            </Group>
          )}
        </Stack>
      );
    })}
  </Stack>
);

import { Button, Group, NativeSelect, Stack, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { Rows } from "../../../ui/lists/rows.tsx";
import long from "../../../ui/look/long.module.css";
import { optionsOf } from "../../../ui/options.ts";
import {
  CELL_TYPES,
  columnNames,
  isGuessedOut,
  MEANINGS,
  type Meaning,
  type MeaningName,
  meaningOf,
  withMeaning,
  withoutRest,
} from "../mapping.pure.ts";
import type { ReadingPlan } from "../plan.ts";
import type { ColumnMapping, FileLook, ImportKind } from "../rules.ts";
import { words } from "../words.ts";
import classes from "./column-rows.module.css";

const SHOWN = 40;

const labelOf = (kind: ImportKind, meaning: MeaningName): string =>
  kind === "events" && meaning === "traits" ? words.ofUser : words.meanings[meaning];

/** What the server says of a column that comes along in no other way; null where that is all the same. */
function guessOf({ columns }: FileLook, name: string): string | null {
  const guess = columns.find((column) => column.name === name)?.guess ?? "";
  return guess === "" || isGuessedOut(guess) || /no mail/.test(guess) ? null : guess;
}

/** What else a column says: rules name it, too. */
const alsoOf = ({ suppressed = [] }: ColumnMapping, name: string): string[] => [
  ...(suppressed.some(({ column }) => column === name) ? [words.alsoRule] : []),
  ...(suppressed.some(({ at }) => at === name) ? [words.alsoSince] : []),
];

type FieldsProps = {
  kind: ImportKind;
  column: string;
  meaning: Meaning;
  also: readonly string[];
  change: (meaning: Meaning) => void;
};

/** What becomes of a column: chosen from a list, with name and type where it is one trait or property. */
function MeaningFields({ kind, column, meaning, also, change }: FieldsProps) {
  const isNamed = meaning.is === "traits" || meaning.is === "props";
  return (
    <Stack gap={6} className={classes.fields ?? ""}>
      <NativeSelect
        aria-label={words.becomesOf(column)}
        data={MEANINGS[kind].map((is) => ({ value: is, label: labelOf(kind, is) }))}
        value={meaning.is}
        onChange={({ currentTarget }) => {
          const is = MEANINGS[kind].find((each) => each === currentTarget.value);
          if (is !== undefined) change({ ...meaning, is });
        }}
      />
      {isNamed && (
        <Group gap={6} wrap="nowrap">
          <TextInput
            flex={1}
            maxLength={200}
            aria-label={words.nameOf(column)}
            value={meaning.as}
            onChange={({ currentTarget }) => change({ ...meaning, as: currentTarget.value })}
          />
          <NativeSelect
            aria-label={words.typeOf(column)}
            data={optionsOf(words.types)}
            value={meaning.type}
            onChange={({ currentTarget }) => {
              const type = CELL_TYPES.find((each) => each === currentTarget.value);
              if (type !== undefined) change({ ...meaning, type });
            }}
          />
        </Group>
      )}
      {also.map((text) => (
        <Text key={text} size="xs" c="dimmed">
          {text}
        </Text>
      ))}
    </Stack>
  );
}

const Samples = ({ samples }: { samples: readonly string[] }) => (
  <Text size="sm" component="div">
    {[...new Set(samples)].map((sample) => (
      <bdi key={sample} className={classes.sample}>
        {sample}
      </bdi>
    ))}
  </Text>
);

const Name = ({ name }: { name: string }) => (
  <Text size="sm" fw={600} className={long.long}>
    {name}
  </Text>
);

type Props = {
  kind: ImportKind;
  look: FileLook;
  plan: ReadingPlan;
  change: (next: Partial<ReadingPlan>) => void;
};

/** The columns of a file with some of their cells, and what becomes of each. */
export function ColumnRows({ kind, look, plan, change }: Props) {
  const [isAll, setAll] = useState(false);
  // What is shown is written out, so that one column can be changed and the others stay.
  const mapping = withoutRest(plan.mapping, look.columns);
  const names = columnNames(look.columns, mapping);
  const shown = isAll ? names : names.slice(0, SHOWN);
  const samplesIn = (name: string) => look.columns.find((column) => column.name === name)?.samples ?? [];
  return (
    <Stack gap="xs">
      <Rows
        heads={[words.column, words.samples, words.becomes]}
        rows={shown.map((name) => ({
          id: name,
          cells: [
            <Name key="name" name={name} />,
            samplesIn(name).length === 0 ? null : <Samples key="samples" samples={samplesIn(name)} />,
            <MeaningFields
              key="meaning"
              kind={kind}
              column={name}
              meaning={meaningOf(mapping, name)}
              also={[
                ...(meaningOf(mapping, name).is === "leftOut" ? [guessOf(look, name) ?? []].flat() : []),
                ...alsoOf(mapping, name),
              ]}
              change={(meaning) => change({ mapping: withMeaning(mapping, name, meaning) })}
            />,
          ],
        }))}
      />
      {shown.length < names.length && (
        <div>
          <Button size="xs" variant="default" onClick={() => setAll(true)}>
            {words.moreColumns(names.length - shown.length)}
          </Button>
        </div>
      )}
    </Stack>
  );
}

/** What a column became, in words. */
function meaningText(mapping: ColumnMapping, name: string): string {
  const { is, as, type } = meaningOf(mapping, name);
  const isNamed = is === "traits" || is === "props";
  return isNamed ? words.named(words.meanings[is], as, words.types[type]) : words.meanings[is];
}

/** The columns that a mapping names, in words. */
export function ColumnTexts({ mapping }: { mapping: ColumnMapping }) {
  return (
    <Rows
      heads={[words.column, words.becomes]}
      rows={columnNames([], mapping).map((name) => ({
        id: name,
        cells: [
          <Name key="name" name={name} />,
          <Text key="meaning" size="sm" className={long.long}>
            {[meaningText(mapping, name), ...alsoOf(mapping, name)].join(". ")}
          </Text>,
        ],
      }))}
    />
  );
}

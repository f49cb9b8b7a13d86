import { Group, NativeSelect, Stack, Text, Textarea, TextInput } from "@mantine/core";
import { useState } from "react";
import { numberOf } from "../../platform/figures.ts";
import { instantOf, localTimeOf } from "../../platform/times.ts";
import { optionsOf } from "../options.ts";
import {
  type ComparedValue,
  listOf,
  type Operator,
  operandOf,
  type Types,
  textOfList,
  typesOf,
  type Window,
} from "./tree.pure.ts";
import { words } from "./words.ts";

type Props = {
  op: Operator;
  value: ComparedValue;
  types: Types | undefined;
  /** Values that few users share, to choose from. */
  suggestions: readonly string[];
  /** The most values of a list. */
  maxValues: number;
  id: string;
  change: (value: ComparedValue) => void;
};

const isWindow = (value: ComparedValue): value is Window =>
  typeof value === "object" && !Array.isArray(value);

/** A stretch of time: how many of which unit. */
export function WindowFields({ window, change }: { window: Window; change: (window: Window) => void }) {
  return (
    <Group gap={6} wrap="nowrap">
      <TextInput
        type="number"
        min={1}
        w="5rem"
        aria-label={words.amount}
        value={window.amount}
        onChange={({ currentTarget }) => change({ ...window, amount: currentTarget.valueAsNumber || 1 })}
      />
      <NativeSelect
        aria-label={words.unit}
        data={optionsOf(words.units)}
        value={window.unit}
        onChange={({ currentTarget }) => change({ ...window, unit: currentTarget.value as Window["unit"] })}
      />
    </Group>
  );
}

/** The members of a list as one text. What is typed stays as it is; its members are what the condition compares with. */
function ListField({
  value,
  types,
  maxValues,
  change,
}: Pick<Props, "value" | "types" | "maxValues" | "change">) {
  const members: readonly (string | number)[] = Array.isArray(value) ? value : [];
  const [text, setText] = useState(() => textOfList(members));
  const { size } = new Set(members);
  return (
    <Stack gap={2} w="min(20rem, 60vw)">
      <Textarea
        autosize
        minRows={1}
        maxRows={10}
        aria-label={words.values}
        placeholder={words.values}
        value={text}
        onChange={({ currentTarget }) => {
          setText(currentTarget.value);
          change(listOf(currentTarget.value, types));
        }}
      />
      {size > 1 && (
        <Text size="xs" c={size > maxValues ? "var(--mantine-color-error)" : "dimmed"}>
          {size > maxValues ? words.tooManyValues(size, numberOf(maxValues)) : words.valuesOf(size)}
        </Text>
      )}
    </Stack>
  );
}

const typeOf = (value: ComparedValue): "string" | "number" | "boolean" =>
  typeof value === "number" || typeof value === "boolean" ? (typeof value as "number" | "boolean") : "string";

function NumberField({ value, change }: Pick<Props, "value" | "change">) {
  return (
    <TextInput
      type="number"
      step="any"
      aria-label={words.value}
      value={typeof value === "number" ? value : ""}
      onChange={({ currentTarget: { valueAsNumber } }) =>
        change(Number.isNaN(valueAsNumber) ? "" : valueAsNumber)
      }
    />
  );
}

/** A text, number or truth value. Its type is that of the field's values; where they have several, the person chooses. */
function ValueField({ value, types, suggestions, id, change }: Omit<Props, "op" | "maxValues">) {
  const known = typesOf(types);
  const [only] = known;
  const [chosen, setChosen] = useState(() => (value === "" && only !== undefined ? only : typeOf(value)));
  const type = known.length === 1 && only !== undefined && value === "" ? only : chosen;
  const begin = (next: "string" | "number" | "boolean"): void => {
    setChosen(next);
    change(next === "boolean" ? true : "");
  };
  return (
    <Group gap={6} wrap="nowrap">
      {type === "boolean" && (
        <NativeSelect
          aria-label={words.value}
          data={[
            { value: "true", label: words.yes },
            { value: "false", label: words.no },
          ]}
          value={String(value === true)}
          onChange={({ currentTarget }) => change(currentTarget.value === "true")}
        />
      )}
      {type === "number" && <NumberField value={value} change={change} />}
      {type === "string" && (
        <>
          <TextInput
            aria-label={words.value}
            list={`${id}-values`}
            value={String(value ?? "")}
            onChange={({ currentTarget }) => change(currentTarget.value)}
          />
          <datalist id={`${id}-values`}>
            {suggestions.map((each) => (
              <option key={each} value={each} />
            ))}
          </datalist>
        </>
      )}
      {known.length !== 1 && (
        <NativeSelect
          aria-label={words.type}
          data={optionsOf(words.types)}
          value={type}
          onChange={({ currentTarget }) => begin(currentTarget.value as typeof type)}
        />
      )}
    </Group>
  );
}

/** What a comparison is with. */
export function OperandField({ op, ...props }: Props) {
  const { value, change } = props;
  switch (operandOf(op)) {
    case "none":
      return null;
    case "number":
      return <NumberField value={value} change={change} />;
    case "instant":
      return (
        <TextInput
          type="datetime-local"
          aria-label={words.value}
          value={localTimeOf(typeof value === "string" && value !== "" ? Date.parse(value) : null)}
          onChange={({ currentTarget }) => {
            const at = instantOf(currentTarget.value);
            change(at === null ? "" : new Date(at).toISOString());
          }}
        />
      );
    case "window":
      return isWindow(value) ? <WindowFields window={value} change={change} /> : null;
    case "list":
      return <ListField {...props} />;
    case "text":
      return (
        <TextInput
          aria-label={words.value}
          value={String(value ?? "")}
          onChange={({ currentTarget }) => change(currentTarget.value)}
        />
      );
    case "value":
      return <ValueField {...props} />;
  }
}

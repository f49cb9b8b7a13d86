import { Group, NativeSelect, TextInput } from "@mantine/core";
import { useId } from "react";
import {
  type Capabilities,
  compared,
  type FieldNode,
  type Operator,
  operatorsFor,
  type Types,
  valueFor,
  type WhereNode,
} from "./tree.pure.ts";
import { Operand } from "./value.tsx";
import { words } from "./words.ts";

type Known = { key: string; types: Types; values?: readonly string[] | undefined };
type Props<Compared> = {
  node: Compared;
  /** The traits or properties that users have shown. */
  known: readonly Known[];
  capabilities: Capabilities;
  label: string;
  change: (node: Compared) => void;
};

const TIMES = Object.entries(words.userFields);

const nameOf = (field: FieldNode["field"]): string =>
  field.kind === "user" ? words.userFields[field.field] : field.key;

/** The field that a typed name means: the two instants of a user by their names, else a trait. */
function fieldNamed(before: FieldNode["field"], name: string): FieldNode["field"] {
  if (before.kind === "event_property") return { kind: "event_property", key: name };
  const time = TIMES.find(([, label]) => label === name)?.[0];
  if (time === "firstSeenAt" || time === "lastSeenAt") return { kind: "user", field: time };
  return { kind: "trait", key: name };
}

/** A comparison of a trait, an instant of the user, or a property of an event. */
export function ConditionFields<Compared extends FieldNode | WhereNode>({
  node,
  known,
  capabilities,
  label,
  change,
}: Props<Compared>) {
  const id = useId();
  const name = nameOf(node.field);
  const { types, values = [] } = known.find(({ key }) => key === name) ?? {};
  const operators = operatorsFor(node.field, types, capabilities);
  const begin = (op: Operator): void => change(compared(node, op, valueFor(op, node.value, types)));
  const rename = (typed: string): void => {
    const field = fieldNamed(node.field, typed);
    const found = known.find(({ key }) => key === typed)?.types;
    const fitting = operatorsFor(field, found, capabilities);
    const op = fitting.includes(node.op) ? node.op : (fitting[0] ?? node.op);
    // A generic node keeps its kind of field, which the type cannot say.
    const renamed = { ...node, field } as unknown as Compared;
    change(compared(renamed, op, valueFor(op, node.value, found)));
  };
  return (
    <Group gap={6}>
      <TextInput
        aria-label={label}
        placeholder={label}
        list={`${id}-names`}
        maxLength={128}
        value={name}
        onChange={({ currentTarget }) => rename(currentTarget.value)}
      />
      <datalist id={`${id}-names`}>
        {node.field.kind !== "event_property" && TIMES.map(([, each]) => <option key={each} value={each} />)}
        {known.map(({ key }) => (
          <option key={key} value={key} />
        ))}
      </datalist>
      <NativeSelect
        aria-label={words.operator}
        data={operators.map((value) => ({ value, label: words.operators[value] }))}
        value={node.op}
        onChange={({ currentTarget }) => begin(currentTarget.value as Operator)}
      />
      <Operand
        // Another type of values begins anew.
        key={Object.keys(types ?? {}).join()}
        {...{ op: node.op, value: node.value, types, suggestions: values, id }}
        change={(value) => change(compared(node, node.op, value))}
      />
    </Group>
  );
}

import { Group, NativeSelect, TextInput } from "@mantine/core";
import { useId } from "react";
import {
  type AudienceCapabilities,
  compared,
  type FieldNode,
  maxValuesOf,
  type Operator,
  operatorsFor,
  type Types,
  valueFor,
  type WhereNode,
} from "./tree.pure.ts";
import { OperandField } from "./value.tsx";
import { words } from "./words.ts";

type Known = { key: string; types: Types; values?: readonly string[] | undefined };
type Props<Compared> = {
  node: Compared;
  /** The traits or properties that users have shown. */
  known: readonly Known[];
  capabilities: AudienceCapabilities;
  label: string;
  change: (node: Compared) => void;
};

/** Ids are texts, whatever they look like. */
const OF_IDS: Omit<Known, "key"> = { types: { string: 1 } };

/** What users have shown of a field; nothing of a name that none has. */
function shownOf(field: FieldNode["field"], known: readonly Known[]): Partial<Omit<Known, "key">> {
  if (field.kind === "user") return field.field === "id" ? OF_IDS : {};
  return known.find(({ key }) => key === field.key) ?? {};
}

type UserField = Extract<FieldNode["field"], { kind: "user" }>["field"];
const USER_FIELDS = Object.entries(words.userFields) as [UserField, string][];

const nameOf = (field: FieldNode["field"]): string =>
  field.kind === "user" ? words.userFields[field.field] : field.key;

/** The field that a typed name means: the id and the two instants of a user by their names, else a trait. */
function fieldNamed(before: FieldNode["field"], name: string): FieldNode["field"] {
  if (before.kind === "event_property") return { kind: "event_property", key: name };
  const field = USER_FIELDS.find(([, label]) => label === name)?.[0];
  return field === undefined ? { kind: "trait", key: name } : { kind: "user", field };
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
  const { types, values = [] } = shownOf(node.field, known);
  const operators = operatorsFor(node.field, types, capabilities);
  const maxValues = maxValuesOf(node.field, capabilities);
  const begin = (op: Operator): void => change(compared(node, op, valueFor(op, node.value, types)));
  const rename = (typed: string): void => {
    const field = fieldNamed(node.field, typed);
    const found = shownOf(field, known).types;
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
        {node.field.kind !== "event_property" &&
          USER_FIELDS.map(([, each]) => <option key={each} value={each} />)}
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
      <OperandField
        // Another type of values begins anew.
        key={Object.keys(types ?? {}).join()}
        op={node.op}
        value={node.value}
        types={types}
        suggestions={values}
        maxValues={maxValues}
        id={id}
        change={(value) => change(compared(node, node.op, value))}
      />
    </Group>
  );
}

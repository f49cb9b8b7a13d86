import { InvalidArgumentError, Option } from "commander";
import type { CommandArgument, FieldOption, Given } from "../../platform/cli/operation-command.ts";
import { ConfigError } from "../../platform/config.ts";
import { argumentsOf, type OperationArguments } from "../../platform/http/arguments/arguments-of.ts";
import { componentOf, readArguments } from "../../platform/http/arguments/read-arguments.ts";
import type { Endpoint } from "../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../platform/http/contract/errors.ts";
import type { JsonSchema } from "../../platform/http/openapi/schema.ts";
import { kebabCase } from "../../platform/text/kebab-case.ts";

/** How the arguments of an operation are typed. */
export type OperationOptions = OperationArguments & {
  fields: Readonly<Record<string, FieldOption>>;
  argument: CommandArgument | undefined;
};

/** The name of the option for a field, without its dashes. */
const nameOf = (field: string, { fields }: Pick<OperationOptions, "fields">): string =>
  fields[field]?.name ?? kebabCase(field);

/** A refusal of the API with the fields called as they are typed: its sentences begin with the field. */
export function nameFields(message: string, options: OperationOptions): string {
  const [field = ""] = /^\w+(?=[ .:[])/.exec(message) ?? [];
  if (!options.places.has(field)) return message;
  const typed =
    options.argument?.field === field ? `<${options.argument.name}>` : `--${nameOf(field, options)}`;
  return typed + message.slice(field.length);
}

export const operationOptions = (
  endpoint: Endpoint,
  fields: OperationOptions["fields"] = {},
  argument?: CommandArgument,
): OperationOptions => ({ ...argumentsOf(endpoint), fields, argument });

/** A property as it is, or as the component that it refers to. */
const resolved = (schema: JsonSchema, components: JsonSchema): JsonSchema =>
  typeof schema.$ref === "string" ? componentOf(schema.$ref, components) : schema;

const isTexts = ({ type, items }: JsonSchema): boolean =>
  type === "array" && (items as JsonSchema | undefined)?.type === "string";

/** The beginning of a sentence as `--help` writes it: in small letters, without the stop at the end. */
const asHelp = (says: string): string =>
  (/^[A-Z][a-z]/.test(says) ? says.charAt(0).toLowerCase() + says.slice(1) : says).replace(/\.$/, "");

/** What `--help` calls the value of an option. */
function placeholderOf({ type, format, enum: values, anyOf }: JsonSchema): string {
  if (values !== undefined) return "value";
  // What may be null is named for what it is otherwise.
  if (Array.isArray(anyOf)) return placeholderOf((anyOf[0] ?? {}) as JsonSchema);
  if (type === "boolean") return "true|false";
  if (type === "integer" || type === "number") return format === "int64" ? "time" : "number";
  return type === "string" ? "text" : "json";
}

/** A value that must not come twice: the second would silently take the place of the first. */
const onlyOnce =
  (choices: readonly string[] | null) =>
  (typed: string, before: unknown): string => {
    if (before !== undefined) throw new InvalidArgumentError("It was given twice.");
    if (choices !== null && !choices.includes(typed))
      throw new InvalidArgumentError(`Allowed choices are ${choices.join(", ")}.`);
    return typed;
  };

const collected = (typed: string, before: readonly string[] = []): string[] => [...before, typed];

/** The option of a field, made from its schema. */
export function optionOf(field: string, options: OperationOptions): Option {
  const schema = options.properties[field] ?? {};
  const known = resolved(schema, options.components);
  const { says, value, isFlag } = options.fields[field] ?? {};
  const name = nameOf(field, options);
  const described = says ?? asHelp(String(schema.description ?? known.description ?? ""));
  if (isFlag) return new Option(`--${name}`, described);
  const isRequired = options.required.includes(field);
  if (isTexts(known)) return new Option(`--${name} <text>`, described).argParser(collected);
  const choices = Array.isArray(known.enum) && known.type === "string" ? known.enum.map(String) : null;
  const offered = choices === null ? described : `${described} (choices: ${choices.join(", ")})`;
  return new Option(`--${name} <${value ?? placeholderOf(known)}>`, offered.trim())
    .argParser(onlyOnce(choices))
    .makeOptionMandatory(isRequired);
}

/** What was typed, by field. @param typed the values of the options, as commander names them */
export async function readTyped(
  fields: readonly string[],
  typed: Readonly<Record<string, unknown>>,
  options: OperationOptions,
): Promise<Given> {
  const given: Record<string, unknown> = {};
  for (const field of fields) {
    const value = typed[optionOf(field, options).attributeName()];
    if (value === undefined) continue;
    const { reads } = options.fields[field] ?? {};
    given[field] = reads === undefined ? value : await reads(String(value));
  }
  return given;
}

/**
 * What was typed as the operation takes it: numbers, booleans and JSON, where it takes no text.
 * @throws ConfigError that names the option whose text is none of these
 */
export function asArguments(given: Given, options: OperationOptions): Given {
  try {
    return readArguments(options, given);
  } catch (cause) {
    if (cause instanceof ApiError) throw new ConfigError(nameFields(cause.message, options), { cause });
    throw cause;
  }
}

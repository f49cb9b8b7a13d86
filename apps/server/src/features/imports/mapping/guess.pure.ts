import type {
  FileFormat,
  FileRecord,
  ImportKind,
  ImportMapping,
  ImportOptions,
  Preset,
  StopRule,
} from "../schema.ts";
import { stepsOf, withoutApostrophes } from "./columns.pure.ts";
import { describeColumns } from "./describe.pure.ts";
import { EACH_KEY, type FileShape } from "./file-shape.pure.ts";
import { type NamedColumn, restColumns } from "./fit.pure.ts";
import { guessStops } from "./guess-stops.pure.ts";
import { columnOf, isSpread, nameWithin, unreadInstant } from "./names.pure.ts";
import { columnLike, shapeOfColumns, shapeWritten, stopsKnown } from "./presets.pure.ts";
import { type Samples, samplesOf, shownSamples, typeOf } from "./samples.pure.ts";

/** What a file means, as far as its columns and first lines tell. */
export type Guess = {
  preset: Preset | null;
  mapping: ImportMapping;
  options: ImportOptions;
  /** `samples`: up to three values, cut at 80 characters. `guess`: what becomes of the column, a phrase for people. */
  columns: { name: string; samples: string[]; guess: string }[];
  warnings: string[];
  /** False: the start has to say who left. */
  knowsStops: boolean;
};

type Single = Omit<ImportMapping, "traits" | "props" | "suppressed">;
type Guessing = { kind: ImportKind; samples: Samples; shape: FileShape | null; isRecognized: boolean };

/** The first of a tool's names for a field that the file has, as the file spells it. */
function columnNamed(
  names: readonly string[] | undefined,
  { format: { columns } }: Samples,
): string | undefined {
  const known = new Set(columns);
  for (const name of names ?? []) {
    const found = columnLike(columns, name);
    if (found !== null) return found;
    const [base, ...keys] = name.split(".");
    const column = base === undefined || keys.length === 0 ? null : columnLike(columns, base);
    if (column !== null && stepsOf(name, known) === null) return [column, ...keys].join(".");
    if (column !== null) return name;
  }
  return undefined;
}

/** The fields that are one column each, without those that a file of the kind does not have. */
function guessSingle({ kind, samples, shape, isRecognized }: Guessing): Single {
  const taken = new Set<string | undefined>();
  const find = (
    field: "userId" | "email" | "firstSeenAt" | "event" | "ts" | "eventId",
  ): string | undefined => {
    const written = columnNamed(shape?.[field], samples);
    // Of a tool, everything is known that its files have.
    const found = written ?? (isRecognized ? undefined : columnOf(field, samples, taken));
    taken.add(found);
    return found;
  };
  if (kind === "suppressions") return { email: find("email") };
  const userId = find("userId");
  if (kind === "users") return { userId, email: find("email"), firstSeenAt: find("firstSeenAt") };
  const event = find("event");
  const ts = find("ts");
  const eventId = find("eventId");
  return { userId, event, ts, eventId, email: userId === undefined ? find("email") : undefined };
}

function guessRules({ kind, samples, shape }: Guessing): StopRule[] {
  const { columns } = samples.format;
  const ofShape = (shape?.suppressed ?? []).flatMap((rule): StopRule[] => {
    const column = rule.column === null ? null : columnLike(columns, rule.column);
    if (column === null && rule.when !== "always") return [];
    const at = rule.at === undefined ? null : columnLike(columns, rule.at);
    const { when, reason } = rule;
    return [at === null ? { column, when, reason } : { column, when, reason, at }];
  });
  return ofShape.length > 0 ? ofShape : guessStops(kind, samples, shape === null);
}

const isPresent = <Entry>(entry: [string, Entry | undefined]): entry is [string, Entry] =>
  entry[1] !== undefined;
const withoutAbsent = (mapping: ImportMapping): ImportMapping =>
  Object.fromEntries(Object.entries(mapping).filter(isPresent));

const eachKey = (column: string): NamedColumn => ({ column, as: EACH_KEY, type: "json" });

/** The columns that become traits of a user, or properties of an event, each with how its cells are read. */
function guessNamed(mapping: ImportMapping, { kind, samples, shape }: Guessing): NamedColumn[] {
  const { format, values } = samples;
  const spread = (shape?.spread ?? []).flatMap((name) => columnNamed([name], samples) ?? []);
  const only = shape?.only?.flatMap((name) => columnLike(format.columns, name) ?? []);
  const lists = new Set(shape?.lists);
  const rest = restColumns(mapping, format.columns, shape).filter((column) => !spread.includes(column));
  const isTaken = new Set(mapping.email === undefined || kind !== "users" ? [] : ["email"]);
  const columns = (only ?? rest).flatMap((column): NamedColumn[] => {
    if (isSpread(column, kind === "events", values(column))) return [eachKey(column)];
    const name = shape?.renamed?.[column] ?? nameWithin(column);
    const as = isTaken.has(name) ? column : name;
    if (isTaken.has(as)) return [];
    isTaken.add(as);
    return [{ column, as, type: lists.has(column) ? "json" : typeOf(values(column), format) }];
  });
  return [...spread.map(eachKey), ...columns];
}

/** What `rest` of a mapping stands for, with types by what the first lines have; a mapping without it stays as it is. */
export function resolveRest(
  kind: ImportKind,
  mapping: ImportMapping,
  format: FileFormat,
  records: readonly FileRecord[],
  preset: Preset | null,
): ImportMapping {
  const shape = preset === null ? null : shapeWritten(kind, preset);
  const samples = samplesOf(format, records, null);
  const typed = (): NamedColumn[] =>
    restColumns(mapping, format.columns, shape).map((column) => ({
      column,
      as: column,
      type: typeOf(samples.values(column), format),
    }));
  return {
    ...mapping,
    ...(mapping.traits === "rest" && { traits: typed() }),
    ...(mapping.props === "rest" && { props: typed() }),
  };
}

function guessOptions({ kind, shape }: Guessing, { userId, email }: ImportMapping): ImportOptions {
  if (kind === "suppressions") return {};
  if (shape !== null && (shape.id !== "column" || userId !== undefined)) return { id: shape.id };
  if (userId !== undefined || email === undefined) return { id: "column" };
  return { id: kind === "events" ? "match" : "email" };
}

const WHAT = {
  userId: "No column has the user's id: name it as mapping.userId.",
  event: "No column says what the user did: name it as mapping.event.",
  ts: "No column says when: name it as mapping.ts.",
  email: "No column has addresses: name it as mapping.email.",
} as const;

/** What people have to know before they start. */
function warningsOf(
  guessing: Guessing,
  mapping: ImportMapping,
  options: ImportOptions,
  chosen: Preset | null,
): string[] {
  const { kind, samples, shape, isRecognized } = guessing;
  const warnings: string[] = [];
  if (chosen !== null && shape === null)
    warnings.push(`No file of ${kind} is known of ${chosen}: the columns were guessed.`);
  if (chosen !== null && shape !== null && !isRecognized)
    warnings.push(`The columns are not those of a file of ${chosen}.`);
  if (shape?.warning !== undefined) warnings.push(shape.warning);
  if (kind === "suppressions") {
    if (mapping.email === undefined) warnings.push(WHAT.email);
    if ((mapping.suppressed ?? []).length === 0)
      warnings.push("No column says who gets no mail: this is not the file of those who left.");
    return warnings;
  }
  if (options.id === "column" && mapping.userId === undefined) warnings.push(WHAT.userId);
  if (shape === null && options.id === "email")
    warnings.push(
      "No column has the user's id, so the address becomes the id. Set options.id to match for users who are known already.",
    );
  if (options.id === "match")
    warnings.push("No column has the user's id: a line is about the one user who has its address.");
  const instant = kind === "events" ? "ts" : "firstSeenAt";
  const unread =
    mapping[instant] === undefined && !isRecognized ? unreadInstant(instant, samples) : undefined;
  if (unread !== undefined) warnings.push(`The times of ${unread} cannot be read, at least not all.`);
  if (kind === "events") {
    if (mapping.event === undefined) warnings.push(WHAT.event);
    if (mapping.ts === undefined) warnings.push(WHAT.ts);
  }
  return warnings;
}

/**
 * Guesses what a file means: by the columns of tools that are known, else by names and values.
 * @param samples the first lines of the file
 * @param chosen the tool that wrote it, where people have said so
 */
export function guessMapping(
  kind: ImportKind,
  format: FileFormat,
  samples: readonly FileRecord[],
  chosen: Preset | null,
): Guess {
  const recognized = shapeOfColumns(kind, format.columns);
  const shape = chosen === null ? recognized : shapeWritten(kind, chosen);
  const isOwn = shape?.writer === "tidings";
  const read = samplesOf(format, samples, isOwn && format.format === "csv" ? withoutApostrophes : null);
  const guessing = { kind, samples: read, shape, isRecognized: shape !== null && shape === recognized };
  const single = guessSingle(guessing);
  const rules = guessRules(guessing);
  const base = withoutAbsent({ ...single, suppressed: rules.length > 0 ? rules : undefined });
  const named = kind === "suppressions" ? [] : guessNamed(base, guessing);
  const userTraits = (shape?.userTraits ?? []).flatMap((name) => columnNamed([name], read) ?? []);
  const mapping = withoutAbsent({
    ...base,
    traits: kind === "users" ? named : userTraits.length > 0 ? userTraits.map(eachKey) : undefined,
    props: kind === "events" ? named : undefined,
  });
  const options = guessOptions(guessing, mapping);
  const preset = chosen ?? (shape === null || shape.writer === "tidings" ? null : shape.writer);
  const describe = describeColumns(kind, mapping, shape, format);
  return {
    preset,
    mapping,
    options,
    columns: format.columns.map((name) => ({
      name,
      samples: shownSamples(read.values(name)),
      guess: describe(name),
    })),
    warnings: warningsOf(guessing, mapping, options, chosen),
    knowsStops: stopsKnown(kind, mapping, preset),
  };
}

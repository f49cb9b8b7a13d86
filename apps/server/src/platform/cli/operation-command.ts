import type { Endpoint } from "../http/contract/endpoint.ts";

/** What was typed, by the fields of the operation that it stands for. */
export type Given = Readonly<Record<string, unknown>>;

/** How a field of an operation is typed, where its contract does not say it. */
export type FieldOption = {
  /** Its option without the dashes, where that is not the field's name. */
  name?: string;
  /** What `--help` calls its value. */
  value?: string;
  says?: string;
  /** The option takes no value, and stands for true. */
  isFlag?: true;
  /** What is sent for a typed text: that of a file, for one. */
  reads?: (typed: string) => unknown;
};

/** The argument of a command. */
export type CommandArgument = Pick<FieldOption, "says"> & {
  field: string;
  /** What `--help` and refusals call it. */
  name: string;
  /** It may be given as the option of its field in place of the argument. */
  isOptionToo?: true;
};

/** What a command prints from, beside the answer of its operation. */
export type CommandContext = {
  given: Given;
  /** Null where it is about the organization. */
  project: { id: string; name: string } | null;
};

/**
 * A command that spells one operation: everything about its options, and what may be typed, comes from the contract of the operation, which
 * runs as it does for a request. So its rules, refusals, transaction and audit entry are those of the API.
 */
export type OperationCommand = {
  /** The words after `tidings`, such as `guardrails clear`. */
  words: string;
  operation: Endpoint;
  /** In place of the operation's summary. */
  description?: string;
  /** More of `--help`, below the options. */
  help?: string;
  argument?: CommandArgument;
  /** Fields whose option differs from what the contract says. */
  options?: Readonly<Record<string, FieldOption>>;
  /** Fields that this command always sends with these values: there is no option for them. */
  sends?: Given;
  /** Fields that cannot be typed here. */
  hides?: readonly string[];
  /** `--by` says in whose name it is done; without it that is the user of this computer. */
  takesBy?: true;
  /** What it is about, where the operation is about either; without it `--project` decides. */
  about?: "project" | "organization";
  /** What people read. */
  says(answer: unknown, context: CommandContext): string;
  /** What `--json` prints: the answer, where it is not stated. */
  json?(answer: unknown, context: CommandContext): unknown;
  /** Whether the command ends with the exit code 1 although the operation did what it does. */
  fails?(answer: unknown): boolean;
};

/** A command whose operation answers `Answer`: the contract of the operation says so. */
export const operationCommand = <Answer = unknown>(
  command: Omit<OperationCommand, "says" | "json" | "fails"> & {
    says(answer: Answer, context: CommandContext): string;
    json?(answer: Answer, context: CommandContext): unknown;
    fails?(answer: Answer): boolean;
  },
  // The types of one operation end here: all of these commands are run alike.
): OperationCommand => command as OperationCommand;

import { readFile } from "node:fs/promises";
import { Command, Option } from "commander";
import { chosenProject, projectOption } from "../../features/access/public.ts";
import { endpoints, peopleEndpoints } from "../../features.ts";
import { operatingUser, printable, say } from "../../platform/cli/command.ts";
import type { FieldOption, Given } from "../../platform/cli/operation-command.ts";
import { readText } from "../../platform/cli/read-text.ts";
import { ConfigError } from "../../platform/config.ts";
import { parseJsonText } from "../../platform/http/body/body.ts";
import type { Endpoint } from "../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../platform/http/contract/errors.ts";
import { kebabCase } from "../../platform/text/kebab-case.ts";
import { nearestNames } from "../../platform/text/nearest-name.ts";
import { withHouse } from "../with-house.ts";
import { callOperation, isForPeople } from "./call-operation.ts";
import {
  asArguments,
  type OperationOptions,
  operationOptions,
  optionOf,
  readTyped,
} from "./operation-options.ts";

const HELP = `
Without an operation it lists all of them; tidings call <operation> --help says what one takes. Works beside a running server, and acts as
the operator of this computer, who may do what operators and owners may; changes stand in the audit log as done by a command.
What only programs do takes the key of a project in TIDINGS_KEY. --body gives the JSON of the body: as a text, from @file, or from - (standard
input); options go before its fields. The answer is printed as JSON, a refusal in one line with the exit code 1.`;

const OWN = ["project", "body", "json", "help"];

type Typed = Given & { project?: string; body?: string };

/** Every operation, by its id and as it is typed. */
export const operations = (): ReadonlyMap<string, Endpoint> =>
  new Map([...endpoints, ...peopleEndpoints].map((endpoint) => [kebabCase(endpoint.spec.id), endpoint]));

function list(): string {
  const known = [...operations()].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const width = Math.max(...known.map(([name]) => name.length));
  return known.map(([name, { spec }]) => `${name.padEnd(width)}  ${spec.summary}`).join("\n");
}

/** @throws ConfigError that names what may have been meant */
function operationCalled(name: string): [string, Endpoint] {
  const known = operations();
  const typed = kebabCase(name.charAt(0).toLowerCase() + name.slice(1));
  const endpoint = known.get(typed);
  if (endpoint !== undefined) return [typed, endpoint];
  const near = nearestNames(typed, known.keys());
  const hint = near.length === 0 ? '"tidings call" lists them' : `did you mean ${near.join(" or ")}?`;
  throw new ConfigError(`There is no operation ${printable(name)}: ${hint}`);
}

/** The bytes of a file as base64, as an upload takes them. */
const readBase64 = async (path: string): Promise<string> =>
  readFile(path).then(
    (bytes) => bytes.toString("base64"),
    (cause: NodeJS.ErrnoException) => {
      throw new ConfigError(`${printable(path)} cannot be read: ${cause.code}`, { cause });
    },
  );

/** The options whose names mean something else to every call, and the file of an upload. */
function optionsFor(endpoint: Endpoint): OperationOptions {
  const made = operationOptions(endpoint);
  const fields: Record<string, FieldOption> = {};
  for (const field of Object.keys(made.properties))
    if (OWN.includes(kebabCase(field))) fields[field] = { name: `field-${kebabCase(field)}` };
  if (endpoint.spec.upload !== undefined)
    fields.data = { name: "file", value: "file", says: "the file", reads: readBase64 };
  return { ...made, fields };
}

/** The fields of a body that was given as a whole. @throws ConfigError for what is no JSON object, or has a field of the path or query */
async function readBody(typed: string, { places }: OperationOptions): Promise<Given> {
  const text = typed === "-" || typed.startsWith("@") ? await readText(typed.replace(/^@/, "")) : typed;
  let body: unknown;
  try {
    body = parseJsonText(text, "--body");
  } catch (cause) {
    if (cause instanceof ApiError) throw new ConfigError(cause.message, { cause });
    throw cause;
  }
  if (typeof body !== "object" || body === null || Array.isArray(body))
    throw new ConfigError("--body must be a JSON object.");
  const [stray] = Object.keys(body).filter((name) => (places.get(name) ?? "body") !== "body");
  if (stray !== undefined)
    throw new ConfigError(`--body must not have ${stray}: give it as --${kebabCase(stray)}.`);
  return body as Given;
}

const takesBody = ({ spec }: Endpoint): boolean => spec.body !== undefined && spec.upload === undefined;
const takesProject = (endpoint: Endpoint): boolean =>
  isForPeople(endpoint) && endpoint.spec.people !== "open" && endpoint.spec.scope !== "organization";

async function run(endpoint: Endpoint, options: OperationOptions, typed: Typed): Promise<void> {
  const { project, body } = typed;
  const fields = await readTyped(Object.keys(options.properties), typed, options);
  const whole = body === undefined ? {} : await readBody(body, options);
  const given = { ...whole, ...asArguments(fields, options) };
  await withHouse(async (app) => {
    const needsProject =
      takesProject(endpoint) && (endpoint.spec.scope !== "either" || project !== undefined);
    const chosen = needsProject ? await chosenProject(app.database.kysely, project) : null;
    const projectId = chosen?.id ?? null;
    const answer = await callOperation(app, endpoint, { options, given, by: operatingUser(), projectId });
    if (answer === "" || endpoint.spec.downloads !== undefined) process.stdout.write(answer);
    else say(JSON.parse(answer));
  });
}

/** The command of one operation, with an option for each of its fields. */
export function commandOf(name: string, endpoint: Endpoint): Command {
  const { spec } = endpoint;
  const options = optionsFor(endpoint);
  const command = new Command(`tidings call ${name}`).description(
    [`${spec.summary}.`, ...(spec.description === undefined ? [] : [spec.description])].join(" "),
  );
  if (takesProject(endpoint)) command.addOption(projectOption());
  // A body that is given as a whole has what is required of it.
  for (const field of Object.keys(options.properties)) {
    const option = optionOf(field, options);
    command.addOption(options.places.get(field) === "body" ? option.makeOptionMandatory(false) : option);
  }
  if (takesBody(endpoint)) command.addOption(new Option("--body <json>", "the body: JSON, @file or -"));
  command.option("--json", "print JSON, as it does in any case");
  return command.action(() => run(endpoint, options, command.opts<Typed>()));
}

/** Adds `call` to the command: every operation, made from its contract when it is called. */
export function addCallCommand(program: Command): void {
  program
    .command("call")
    .description("run any operation of the API")
    .argument("[operation]", "its id, as the API reference calls it")
    .argument("[options...]", "what it takes")
    .allowUnknownOption()
    .helpOption(false)
    .addHelpText("after", HELP)
    .action(async (operation: string | undefined, rest: string[], _: unknown, call: Command) => {
      if (operation === undefined) return say(list());
      if (operation === "--help" || operation === "-h") return call.outputHelp();
      const [name, endpoint] = operationCalled(operation);
      await commandOf(name, endpoint).parseAsync(rest, { from: "user" });
    });
}

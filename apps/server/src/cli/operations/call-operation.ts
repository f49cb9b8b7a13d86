import { authenticator, theOrganization } from "../../features/access/public.ts";
import { printable } from "../../platform/cli/command.ts";
import { ConfigError } from "../../platform/config.ts";
import { SCOPE_HEADER } from "../../platform/http/admission/admit-person.ts";
import type { Arguments } from "../../platform/http/arguments/read-arguments.ts";
import { requestOf } from "../../platform/http/arguments/request-of.ts";
import type { Endpoint } from "../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../platform/http/contract/errors.ts";
import type { Recognise } from "../../platform/http/contract/person.ts";
import { createServer } from "../../platform/http/server.ts";
import type { App } from "../../platform/runtime.ts";
import { nameFields, type OperationOptions } from "./operation-options.ts";

/** The environment variable with the key for operations that only programs call. */
const KEY_VARIABLE = "TIDINGS_KEY";
/** Stands for a sign-in: the server of a command listens nowhere, so only the command itself asks it. */
const COOKIE = "command";

/** Whether an operation runs in the name of a person, and not of a program with a key. */
export const isForPeople = ({ spec }: Endpoint): boolean => spec.people !== undefined;

/**
 * The operator at the command line. A user of this computer who reads the data folder or the address of the database may do all that an
 * operator and owner may, as commands always could; what they change is logged as done by a command.
 */
const operatorCalled =
  (app: App, name: string): Recognise =>
  async () => ({
    id: null,
    name,
    email: "",
    organizationId: await app.database.kysely.transaction().execute((db) => theOrganization(db, app.clock())),
    role: "owner",
    isOperator: true,
    sessionId: "",
    signedInAt: app.clock(),
  });

function keyHeaders({ spec }: Endpoint): Record<string, string> {
  const key = process.env[KEY_VARIABLE];
  if (key === undefined || key === "")
    throw new ConfigError(
      `Programs call this, with the ${spec.keys.join(" or the ")} key of a project: set ${KEY_VARIABLE} to it.`,
    );
  return { authorization: `Bearer ${key}` };
}

type Call = {
  options: OperationOptions;
  given: Arguments;
  /** In whose name it is done. */
  by: string;
  /** Null where it is about the organization. */
  projectId: string | null;
};

/** The message of a refusal, with the fields as they are typed. A thing that is not there is named, which a request names in its path. */
function refusal(body: string, status: number, { options, given }: Call): string {
  const { error } = JSON.parse(body) as { error: string };
  const message = nameFields(error, options);
  const [id] = [...options.places].flatMap(([field, place]) => (place === "path" ? [given[field]] : []));
  return status === 404 && id !== undefined && / not found$/.test(message)
    ? `${message}: ${printable(String(id))}`
    : message;
}

/**
 * Runs an operation as a request without a socket, to a server of this operation alone: so its rules, transaction, audit entry and refusals
 * are those of the API by construction. Answers the body, which is empty where the operation answers nothing.
 * @throws ConfigError with the API's words where it is refused
 */
export async function callOperation(app: App, endpoint: Endpoint, call: Call): Promise<string> {
  const { options, given, by, projectId } = call;
  const server = createServer({
    app,
    endpoints: [endpoint],
    authenticate: app.get(authenticator),
    recognise: operatorCalled(app, by),
  });
  try {
    const { method, url, headers, payload } = requestOf(endpoint, options.places, given);
    const caller = isForPeople(endpoint)
      ? { cookie: COOKIE, [SCOPE_HEADER.toLowerCase()]: projectId ?? "-", origin: app.publicUrl() }
      : keyHeaders(endpoint);
    const answer = await server.inject({
      method,
      url,
      headers: { ...headers, ...caller },
      ...(payload === undefined ? {} : { payload }),
    });
    if (answer.statusCode < 400) return answer.payload;
    throw new ConfigError(refusal(answer.payload, answer.statusCode, call));
  } catch (cause) {
    if (cause instanceof ApiError) throw new ConfigError(nameFields(cause.message, options), { cause });
    throw cause;
  } finally {
    await server.close();
  }
}

import { randomUUID } from "node:crypto";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import {
  CallToolRequestSchema,
  ErrorCode,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/sdk/validation/ajv";
import { build } from "../../platform/build.ts";
import { Unkept } from "../../platform/http/body/body.ts";
import type { Endpoint } from "../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../platform/http/contract/errors.ts";
import type { Gateway, GatewayAnswer, GatewayRequest } from "../../platform/http/gateway.ts";
import type { Log } from "../../platform/log.ts";
import type { App } from "../../platform/runtime.ts";
import { callTool } from "./call-tool.ts";
import { audiencesPage, listResources, readResource, resourceTemplates } from "./resources.ts";
import { SERVER_INSTRUCTIONS } from "./tools.pure.ts";
import { type Tool, toolsFor, toolsOf } from "./tools.ts";

type Served = { version: string; tools: readonly Tool[]; page: () => Promise<string>; log: Log };

/** One for all requests: making one takes longer than a request. */
const jsonSchemaValidator = new AjvJsonSchemaValidator();

/** A text of a header that comes once. */
const headerOf = ({ headers }: GatewayRequest, name: string): string | undefined => {
  const value = headers[name];
  return typeof value === "string" && value !== "" ? value : undefined;
};

/** The protocol's answers to one request: a server lives for one, so that any process can serve the next. */
function createMcpServer(
  { version, tools, page, log }: Served,
  request: GatewayRequest,
  unkept: Unkept | null,
): Server {
  const server = new Server(
    { name: "tidings", title: "Tidings", version },
    { capabilities: { tools: {}, resources: {} }, instructions: SERVER_INSTRUCTIONS, jsonSchemaValidator },
  );
  const { call, gone } = request;

  /** Whatever else is thrown is logged: the library would send its message to the client. */
  async function guarded<Result>(run: () => Promise<Result>): Promise<Result> {
    try {
      return await run();
    } catch (error) {
      if (error instanceof McpError) throw error;
      if (!gone.aborted) log.error({ err: error }, "a request of a model failed");
      throw new McpError(ErrorCode.InternalError, "Internal server error");
    }
  }

  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: tools.map(({ description }) => description),
  }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }, { requestId }) =>
    guarded(() => {
      const tool = tools.find(({ description }) => description.name === params.name);
      if (tool === undefined)
        throw new McpError(
          ErrorCode.InvalidParams,
          "Unknown tool: tools/list names those of this path and key",
        );
      const given = params._meta?.["idempotency-key"];
      const id = { given, session: headerOf(request, "mcp-session-id"), requestId };
      return callTool(tool, unkept ?? params.arguments ?? {}, id, call);
    }),
  );
  server.setRequestHandler(ListResourcesRequestSchema, () => guarded(() => listResources(call)));
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => resourceTemplates);
  server.setRequestHandler(ReadResourceRequestSchema, ({ params }) =>
    guarded(() => readResource(params.uri, call, page)),
  );
  return server;
}

/** A message without arguments that have a number that cannot be kept: the library knows only JSON. */
function apart(body: unknown): { message: unknown; unkept: Unkept | null } {
  const { params } = (body ?? {}) as { params?: { arguments?: unknown } };
  if (!(params?.arguments instanceof Unkept)) return { message: body ?? null, unkept: null };
  return { message: { ...(body as object), params: { ...params, arguments: {} } }, unkept: params.arguments };
}

/** Answers one message of a client. */
async function serve(served: Served, request: GatewayRequest): Promise<GatewayAnswer> {
  // Newer versions of the protocol have no lists of messages. In one, a message could cancel another, whose answer would never come.
  if (Array.isArray(request.body))
    throw new ApiError("invalid_request", "body must be one message: lists of messages are not taken");
  const { message, unkept } = apart(request.body);
  const server = createMcpServer(served, request, unkept);
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  const headers = new Headers();
  for (const name of ["accept", "content-type", "mcp-protocol-version"]) {
    const value = headerOf(request, name);
    if (value !== undefined) headers.set(name, value);
  }
  try {
    await server.connect(transport);
    const incoming = new Request("http://localhost", { method: "POST", headers });
    const answer = await transport.handleRequest(incoming, { parsedBody: message });
    const { method } = (request.body ?? {}) as { method?: unknown };
    return {
      status: answer.status,
      body: await answer.text(),
      headers: {
        "content-type": "application/json; charset=utf-8",
        // Clients send it with every later request, which tells their calls from those of others. It is kept nowhere.
        ...(method === "initialize" && answer.ok ? { "mcp-session-id": randomUUID() } : {}),
      },
    };
  } finally {
    await server.close();
  }
}

/** Makes what serves a path. The descriptions of the tools are made once. */
export function openMcp(
  app: App,
  endpoints: readonly Endpoint[],
  which: { readsOnly: boolean },
): ReturnType<Gateway["open"]> {
  const tools = toolsOf(endpoints);
  const page = (): Promise<string> => app.get(audiencesPage);
  return async (request) => {
    const { version } = await app.get(build);
    const shown = toolsFor(tools, request.principal.keyKind, which);
    return serve({ version, tools: shown, page, log: app.log }, request);
  };
}

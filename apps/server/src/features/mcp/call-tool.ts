import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { type Arguments, readArguments } from "../../platform/http/arguments/read-arguments.ts";
import { requestOf } from "../../platform/http/arguments/request-of.ts";
import { Unkept } from "../../platform/http/body/body.ts";
import { ApiError } from "../../platform/http/contract/errors.ts";
import type { GatewayRequest, OperationAnswer, OperationCall } from "../../platform/http/gateway.ts";
import { type CallId, keyOf } from "./call-key.ts";
import { showBody } from "./result.pure.ts";
import type { Tool } from "./tools.ts";

const REPEATED = "This is the answer of an earlier call with the same key: nothing was done a second time.";

const texts = (...all: readonly (string | null)[]): CallToolResult["content"] =>
  all.filter((text) => text !== null).map((text) => ({ type: "text", text }));

/** A refusal, as a result that the model reads: the body of the API with its status. */
const refused = (status: number, body: object, retryAfter?: unknown): CallToolResult => ({
  content: texts(
    JSON.stringify({
      status,
      ...body,
      ...(retryAfter === undefined ? {} : { retryAfterSeconds: Number(retryAfter) }),
    }),
  ),
  isError: true,
});

function resultOf({ endpoint, places }: Tool, { status, body, headers }: OperationAnswer): CallToolResult {
  if (status >= 400) return refused(status, JSON.parse(body) as object, headers["retry-after"]);
  const { json, note } = showBody(endpoint.spec.id, body === "" ? "{}" : body, places.has("perPage"));
  return { content: texts(json, note, headers["idempotent-replayed"] === "true" ? REPEATED : null) };
}

/** The request of a tool call. @throws ApiError for arguments that no request could carry */
function callOf(tool: Tool, args: Arguments, id: CallId): OperationCall {
  const given = readArguments(tool.shape, args);
  const request = requestOf(tool.endpoint, tool.places, { ...tool.defaults, ...given });
  const key = tool.isWrite ? keyOf(tool, given, id) : null;
  return key === null ? request : { ...request, headers: { ...request.headers, "idempotency-key": key } };
}

/**
 * Runs the operation of a tool. What the API refuses is a result with `isError`, from which the model can learn.
 * @param args the arguments as they came; `Unkept` where they have a number that cannot be kept
 */
export async function callTool(
  tool: Tool,
  args: Arguments | Unkept,
  id: CallId,
  call: GatewayRequest["call"],
): Promise<CallToolResult> {
  try {
    if (args instanceof Unkept) throw new ApiError("invalid_request", args.fault("arguments"));
    return resultOf(tool, await call(callOf(tool, args, id)));
  } catch (error) {
    if (error instanceof ApiError) return refused(error.status, error.body());
    throw error;
  }
}

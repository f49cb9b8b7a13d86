import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

type Json = Record<string, unknown>;

/** A turn of a dialogue as the endpoint is sent it. */
export type Turn = {
  role: string;
  content: string | null;
  tool_call_id?: string;
  tool_calls?: { id: string; function: { name: string; arguments: string } }[];
};

/** A request for a chat completion. */
export type ModelRequest = {
  path: string;
  headers: IncomingHttpHeaders;
  body: Json & { model: string; messages: Turn[] };
};

/** What the endpoint answers. `silence` says nothing, ever; `hang up` closes the connection. */
export type ModelAnswer =
  | { status?: number; headers?: Record<string, string>; body: string }
  | "silence"
  | "hang up";

/** A call of a tool: its name, and its arguments as JSON or as a text that is no JSON. */
export type ScriptedCall = { name: string; input: unknown; id?: string | null };

export type Usage = {
  prompt_tokens?: unknown;
  completion_tokens?: unknown;
  total_tokens?: unknown;
  prompt_tokens_details?: unknown;
  completion_tokens_details?: unknown;
};

const USUAL_USAGE: Usage = { prompt_tokens: 1_000, completion_tokens: 50, total_tokens: 1_050 };

let made = 0;

/** A completion in which the model calls tools. `id: null` leaves the id of a call out. */
export function calls(
  wanted: readonly ScriptedCall[],
  { usage = USUAL_USAGE, says = null }: { usage?: Usage | null; says?: string | null } = {},
): ModelAnswer {
  const toolCalls = wanted.map(({ name, input, id = `call_${made++}` }) => ({
    ...(id === null ? {} : { id }),
    type: "function",
    function: { name, arguments: typeof input === "string" ? input : JSON.stringify(input) },
  }));
  const message = { role: "assistant", content: says, tool_calls: toolCalls };
  const completion = {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1_768_478_400,
    model: "small-1",
    choices: [{ index: 0, message, finish_reason: "tool_calls" }],
    ...(usage === null ? {} : { usage }),
  };
  return { body: JSON.stringify(completion) };
}

/** A completion in which the model decides. */
export const decides = (input: unknown, usage?: Usage | null): ModelAnswer =>
  calls([{ name: "decide", input }], usage === undefined ? {} : { usage });

/** A completion without a call. */
export const saysOnly = (content: string, finishReason = "stop"): ModelAnswer => ({
  body: JSON.stringify({
    choices: [{ message: { role: "assistant", content }, finish_reason: finishReason }],
    usage: USUAL_USAGE,
  }),
});

/** An error as OpenAI words it. */
export const refuses = (
  status: number,
  message: string,
  headers: Record<string, string> = {},
): ModelAnswer => ({ status, headers, body: JSON.stringify({ error: { message, type: "error" } }) });

/** What the endpoint does with the n-th request, from 0. */
export type Behaviour = (request: ModelRequest, nth: number) => ModelAnswer;

/** An endpoint on loopback that speaks OpenAI's chat completions, by a script. */
export type ModelServer = {
  /** What a project sets as its address. */
  url: string;
  requests: ModelRequest[];
  /** Resolves when the n-th request (from 1) is there. */
  requested(count: number): Promise<void>;
  behave(next: Behaviour): void;
  close(): Promise<void>;
};

/** Starts an endpoint that decides nothing, until it has another script. */
export async function startModelServer(): Promise<ModelServer> {
  const requests: ModelRequest[] = [];
  const waiting: { count: number; resolve: () => void }[] = [];
  let behaviour: Behaviour = () => decides({ action: "nothing", reason: "All is well." });
  const server = createServer(async (request, response) => {
    const body = JSON.parse(await text(request)) as ModelRequest["body"];
    const taken = { path: request.url ?? "", headers: request.headers, body };
    requests.push(taken);
    const answer = behaviour(taken, requests.length - 1);
    for (const each of waiting) if (requests.length >= each.count) each.resolve();
    if (answer === "silence") return;
    if (answer === "hang up") {
      request.socket.destroy();
      return;
    }
    response.writeHead(answer.status ?? 200, { "content-type": "application/json", ...answer.headers });
    response.end(answer.body);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    requested: (count) =>
      new Promise((resolve) => {
        if (requests.length >= count) resolve();
        else waiting.push({ count, resolve });
      }),
    behave(next) {
      behaviour = next;
    },
    async close() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

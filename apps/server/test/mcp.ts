import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { TestProject } from "./harness.ts";

/** What a tool answered: its texts, the first one parsed. */
export type ToolAnswer = { isError: boolean; json: Readonly<Record<string, unknown>>; texts: string[] };

export type McpClient = {
  client: Client;
  /** Calls a tool. */
  call(
    name: string,
    args?: Readonly<Record<string, unknown>>,
    meta?: Record<string, unknown>,
  ): Promise<ToolAnswer>;
};

/** The library's own client at a path, connected with a key. */
export async function connect({ url }: TestProject, path: string, key: string): Promise<McpClient> {
  const client = new Client({ name: "test", version: "1" });
  const requestInit = { headers: { authorization: `Bearer ${key}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url + path), { requestInit }) as never);
  return {
    client,
    async call(name, args = {}, meta) {
      const { content, isError } = await client.callTool({
        name,
        arguments: args,
        ...(meta === undefined ? {} : { _meta: meta }),
      });
      const texts = (content as { text: string }[]).map(({ text }) => text);
      return { isError: isError === true, json: JSON.parse(texts[0] ?? "null"), texts };
    },
  };
}

/** One request as bytes, which may be sent again, or by a client that follows no library. */
export const post = (
  { url }: TestProject,
  path: string,
  key: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
  signal: AbortSignal | null = null,
): Promise<Response> =>
  fetch(url + path, {
    method: "POST",
    signal,
    headers: {
      ...(key === "" ? {} : { authorization: `Bearer ${key}` }),
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...headers,
    },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });

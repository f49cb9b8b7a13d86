import type { z } from "zod";
import { exampleOf } from "./example.ts";
import { type JsonSchema, toSchema } from "./schema.ts";

/** A message that the server sends to addresses of its customers: its type, what that means, and the shape of its body. */
export type OutgoingMessage = { type: string; summary: string; body: z.ZodType };

const HEADERS = {
  "webhook-id":
    "What the message calls itself, the same at every attempt: what came before under it is known already.",
  "webhook-timestamp": "When this attempt began, in seconds since 1970.",
  "webhook-signature":
    "`v1,` and base64 of HMAC-SHA-256 of id, timestamp and body, joined by dots (Standard Webhooks 1.0.0). Several are separated by a space.",
} as const;

/** What receivers have to take: the messages by their type, as OpenAPI 3.1 has them. */
export function outgoingOf(messages: readonly OutgoingMessage[], components: JsonSchema): JsonSchema {
  const parameters = Object.entries(HEADERS).map(([name, description]) => ({
    name,
    in: "header",
    required: true,
    description,
    schema: { type: "string" },
  }));
  return Object.fromEntries(
    messages.map(({ type, summary, body }) => {
      const schema = toSchema(body, "output", components);
      const content = { "application/json": { schema, example: exampleOf(schema, components) } };
      const post = {
        summary,
        parameters,
        requestBody: { required: true, content },
        responses: {
          "2XX": {
            description: "It was taken. Anything else, and no answer within 15 seconds, is tried again.",
          },
        },
      };
      return [type, { post }];
    }),
  );
}

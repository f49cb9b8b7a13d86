import { readFile } from "node:fs/promises";
import {
  ErrorCode,
  type ListResourcesResult,
  type ListResourceTemplatesResult,
  McpError,
  type ReadResourceResult,
} from "@modelcontextprotocol/sdk/types.js";
import type { GatewayRequest, OperationAnswer } from "../../platform/http/gateway.ts";
import { resource } from "../../platform/runtime.ts";

const AUDIENCES = "tidings://docs/audiences";
/** Ids as the API writes them and nothing else, so that no spelling of a path can lead to another operation. */
const GUARDRAILS = /^tidings:\/\/goals\/(goal_[0-9a-f-]{36})\/guardrails$/;
const guardrailsUri = (goalId: string): string => `tidings://goals/${goalId}/guardrails`;
/** The protocol's code for a resource that is not there. */
const NOT_FOUND = -32_002;

type Goal = { id: string; name: string; status: string; approvalMode: string; guardrails: unknown };

/** The page that explains audiences, from the same files as this server, so that both speak of the same operators. */
export const audiencesPage = resource(() =>
  readFile(new URL("../../../../../docs/audiences.md", import.meta.url), "utf8"),
);

/** The JSON of an answer. @throws McpError for a refusal: resources have no results that say so */
function bodyOf({ status, body, headers }: OperationAnswer): unknown {
  const answer: unknown = JSON.parse(body);
  if (status < 400) return answer;
  const { error } = answer as { error: string };
  const retryAfter = headers["retry-after"];
  const data = { status, ...(retryAfter === undefined ? {} : { retryAfterSeconds: Number(retryAfter) }) };
  const code = status === 404 ? NOT_FOUND : status < 500 ? ErrorCode.InvalidRequest : ErrorCode.InternalError;
  throw new McpError(code, error, data);
}

/** The page about audiences, and the guardrails of each goal of the project. */
export async function listResources(call: GatewayRequest["call"]): Promise<ListResourcesResult> {
  const { goals } = bodyOf(await call({ method: "GET", url: "/api/v1/goals" })) as { goals: Goal[] };
  return {
    resources: [
      {
        uri: AUDIENCES,
        name: "audiences",
        title: "Audience expressions",
        description: "Every operator of an audience expression with an example.",
        mimeType: "text/markdown",
      },
      ...goals.map(({ id, name }) => ({
        uri: guardrailsUri(id),
        name: `guardrails of ${id}`,
        title: `Guardrails of ${name}`,
        mimeType: "application/json",
      })),
    ],
  };
}

export const resourceTemplates: ListResourceTemplatesResult = {
  resourceTemplates: [
    {
      uriTemplate: "tidings://goals/{id}/guardrails",
      name: "guardrails",
      title: "Guardrails of a goal",
      description: "Limits within which campaigns of the goal stay, and whether a person approves changes.",
      mimeType: "application/json",
    },
  ],
};

/** @throws McpError for a resource that is not there */
export async function readResource(
  uri: string,
  call: GatewayRequest["call"],
  page: () => Promise<string>,
): Promise<ReadResourceResult> {
  if (uri === AUDIENCES) return { contents: [{ uri, mimeType: "text/markdown", text: await page() }] };
  const [, id] = GUARDRAILS.exec(uri) ?? [];
  if (id === undefined)
    throw new McpError(
      NOT_FOUND,
      `There is no such resource: there are ${AUDIENCES} and tidings://goals/{id}/guardrails, with the id of a goal.`,
    );
  const { goal } = bodyOf(await call({ method: "GET", url: `/api/v1/goals/${id}` })) as { goal: Goal };
  const { name, status, approvalMode, guardrails } = goal;
  const text = JSON.stringify({ goalId: goal.id, name, status, approvalMode, guardrails });
  return { contents: [{ uri, mimeType: "application/json", text }] };
}

import { createPeopleClient, type PeopleClient, TidingsError } from "@tidings/client";

/** Stands for the organization where a request is about no single project. */
export const ORGANIZATION = "-";

const clients = new Map<string, PeopleClient>();
const headersOf = (scope: string) => ({ "x-tidings-project": scope });

/** The operations at a project, or at the organization. The browser adds the cookie of the session. */
export function clientAt(scope: string): PeopleClient {
  const known = clients.get(scope) ?? createPeopleClient("", headersOf(scope));
  clients.set(scope, known);
  return known;
}

/** The same for one request, which ends with a signal: the server stops what it does for a request whose client is gone. */
export const clientUntil = (scope: string, signal: AbortSignal): PeopleClient =>
  createPeopleClient("", headersOf(scope), (input, init) => fetch(input, { ...init, signal }));

/** Whether an error is a refusal with this status. */
export const isRefused = (error: unknown, status: number): error is TidingsError =>
  error instanceof TidingsError && error.status === status;

/** Whether it is the same the next time: a refusal is, but for one that asks to wait; a server that is restarting is not. */
export const isFinal = (error: unknown): boolean =>
  error instanceof TidingsError && error.status < 500 && error.status !== 429;

/** Which of several reasons a refusal has, as programs read it; null where it names none. */
export function reasonOf(error: unknown): string | null {
  if (!(error instanceof TidingsError) || typeof error.body !== "object" || error.body === null) return null;
  return "reason" in error.body && typeof error.body.reason === "string" ? error.body.reason : null;
}

/** Whether a person has to sign in again before the server does this. */
export const needsConfirmation = (error: unknown): boolean =>
  isRefused(error, 403) && reasonOf(error) === "confirm";

/** How a refusal names a place in an audience: for programs. The form says it at the condition. */
const PLACE_IN_AUDIENCE = /^expression\S* is not valid: /;

/** What a server has no words of its own for: a load balancer before it answers pages, and the service is busy in one word. */
function wordsFor({ status, message, body }: TidingsError): string {
  if (status === 429) return "There were too many requests in a short time. Wait a moment.";
  if (status === 502 || status === 504) return "The server does not answer just now.";
  if (status === 503 && /^(busy|unavailable)$/i.test(message)) return "The server is busy just now.";
  const hasWords = typeof body === "object" && body !== null && "error" in body;
  return hasWords
    ? message.replace(PLACE_IN_AUDIENCE, "In the audience: ")
    : `The server refused it (${status}).`;
}

/** Why there was no answer that could be read; browsers say it each in words of their own. */
function wordsForNoAnswer(error: unknown): string {
  if (error instanceof TypeError)
    return "onLine" in navigator && navigator.onLine === false
      ? "You are offline."
      : "The server cannot be reached.";
  if (error instanceof SyntaxError) return "The server gave an answer that cannot be read.";
  return error instanceof Error ? error.message : String(error);
}

/** What went wrong, with the names that the API has for fields, and the id by which the log of the server names the request. */
export function problemOf(error: unknown): { message: string; requestId: string | null } {
  if (error instanceof TidingsError)
    return { message: wordsFor(error), requestId: error.headers.get("x-request-id") };
  return { message: wordsForNoAnswer(error), requestId: null };
}

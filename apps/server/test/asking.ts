import type { SharedHouse } from "./harness.ts";
import type { TestPerson } from "./people.ts";

export type PersonAnswer = { status: number; text: string; body: Record<string, unknown>; headers: Headers };

/** A request of a person at a project, or `-`, as the dashboard sends it. */
export async function askAs(
  { url }: SharedHouse,
  person: TestPerson,
  scope: string,
  [method, path, body]: readonly [method: string, path: string, body?: object],
  headers: Readonly<Record<string, string>> = {},
): Promise<PersonAnswer> {
  const response = await fetch(url + path, {
    method,
    headers: {
      ...person.headers(scope),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.startsWith("application/json") === true;
  // Every JSON answer of the API is an object.
  const parsed = isJson && text !== "" ? (JSON.parse(text) as Record<string, unknown>) : {};
  return { status: response.status, text, body: parsed, headers: response.headers };
}

import assert from "node:assert/strict";
import { createGzip } from "node:zlib";
import type { TestProject } from "./harness.ts";

export type IntakeAnswer = { status: number; body: unknown; headers: Headers };

type Sent = {
  /** `Authorization`; none for null. The publishable key by default, as these libraries send it. */
  authorization?: string | null;
  headers?: Readonly<Record<string, string>>;
};

/** How these libraries send a key. */
export const basic = (key: string): string => `Basic ${Buffer.from(`${key}:`).toString("base64")}`;

/** Sends calls as a library does. `body` is sent as it is where it is a text or bytes, else as JSON. */
export async function sendTo(
  { url, publishableKey }: TestProject,
  call: string,
  body: unknown,
  { authorization = basic(publishableKey), headers = {} }: Sent = {},
): Promise<IntakeAnswer> {
  const response = await fetch(`${url}/v1/${call}`, {
    method: "POST",
    headers: {
      ...(authorization === null ? {} : { authorization }),
      "content-type": "application/json",
      ...headers,
    },
    body: typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, body: text === "" ? null : JSON.parse(text), headers: response.headers };
}

/** Sends a batch with the secret key, which has to be taken. */
export async function sendBatch(project: TestProject, batch: readonly unknown[], beside = {}): Promise<void> {
  const answer = await sendTo(
    project,
    "batch",
    { batch, ...beside },
    { authorization: basic(project.secretKey) },
  );
  assert.deepEqual([answer.status, answer.body], [200, { success: true }]);
}

/** Gzip of so many bytes of blanks, made without as much memory. */
export async function packedBlanks(bytes: number): Promise<Buffer> {
  const piece = Buffer.alloc(1_024 * 1_024, " ");
  const gzip = createGzip();
  const made = gzip.toArray();
  for (let left = bytes; left > 0; left -= piece.length)
    if (!gzip.write(piece.subarray(0, left)))
      await new Promise<void>((resolve) => gzip.once("drain", resolve));
  gzip.end();
  return Buffer.concat(await made);
}

/** What is counted of a project: taken and refused calls by library and call, and why, without instants. */
export async function countsOf({ api }: TestProject, hours?: number) {
  const query = hours === undefined ? {} : { query: { hours: String(hours) } };
  const { intake } = await api.getIntake(query as Parameters<typeof api.getIntake>[0]);
  return {
    calls: Object.fromEntries(
      intake.calls.map(({ library, call, taken, refused }) => [`${library} ${call}`, [taken, refused]]),
    ),
    problems: Object.fromEntries(
      intake.problems.map(({ library, call, reason, count, names }) => [
        `${library} ${call} ${reason}`,
        [count, names.toSorted()],
      ]),
    ),
  };
}

/** The reasons for which calls were not taken, or were changed, with how many. */
export async function reasonsOf(project: TestProject): Promise<Record<string, number>> {
  const { intake } = await project.api.getIntake();
  const sums: Record<string, number> = {};
  for (const { reason, count } of intake.problems) sums[reason] = (sums[reason] ?? 0) + count;
  return sums;
}

/** A track call of ada, as a library sends it. */
export const trackCall = (event: string, more: object = {}) => ({
  type: "track",
  userId: "ada",
  event,
  ...more,
});
/** An identify call of hers. */
export const identifyCall = (traits: object, more: object = {}) => ({
  type: "identify",
  userId: "ada",
  traits,
  ...more,
});

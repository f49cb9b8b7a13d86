/** A text as a word of a shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** A POST request of a program, as a line for a shell. `key` is that of the project, or what stands for it. */
export const curlOf = (origin: string, path: string, key: string, body: unknown): string =>
  [
    `curl ${origin}${path}`,
    `-H ${quoted(`Authorization: Bearer ${key}`)}`,
    "-H 'Content-Type: application/json'",
    `-d ${quoted(JSON.stringify(body))}`,
  ].join(" \\\n  ");

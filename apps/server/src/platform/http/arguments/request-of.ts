import type { Endpoint } from "../contract/endpoint.ts";
import { ApiError, fileTooLarge } from "../contract/errors.ts";
import type { OperationCall } from "../gateway.ts";
import type { ArgumentPlaces } from "./arguments-of.ts";
import type { Arguments } from "./read-arguments.ts";

/** Whether a value can stand in a header as it is: 1 to 128 printable characters of ASCII, without blanks. */
export const isHeaderText = (value: unknown): value is string =>
  typeof value === "string" && /^[\x21-\x7e]{1,128}$/.test(value);

/** Whatever is no base64. A pattern of the whole text would go as deep as the text is long. */
const NOT_BASE64 = /[^A-Za-z0-9+/=]|^=|=[^=]|={3}/;
const BOUNDARY = "tidings-file-of-a-call";
const JSON_TYPE = { "content-type": "application/json" };

/** Text of a part of an address. @throws ApiError for what is no such text */
function asText(name: string, value: unknown): string {
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean")
    return String(value);
  throw new ApiError("invalid_request", `${name} must be a text, a number or a boolean`);
}

/** One segment of a path. An empty one or dots would lead to another operation. */
function segment(name: string, value: unknown): string {
  if (value === undefined || value === null) throw new ApiError("invalid_request", `${name} is required`);
  const text = asText(name, value);
  if (/^\.{0,2}$/.test(text)) throw new ApiError("invalid_request", `${name} must be an id`);
  return encodeURIComponent(text);
}

function fileOf(
  fields: Readonly<Record<string, unknown>>,
  { field, maxBytes }: NonNullable<Endpoint["spec"]["upload"]>,
): Omit<OperationCall, "method" | "url"> {
  const { data, contentType, ...others } = fields;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined)
    throw new ApiError("invalid_request", `${unknown}: unknown field, known here are data, contentType`);
  if (typeof data !== "string" || data === "" || NOT_BASE64.test(data))
    throw new ApiError("invalid_request", "data must be the file in base64");
  if (!isHeaderText(contentType))
    throw new ApiError("invalid_request", "contentType must be a media type such as image/png");
  const file = Buffer.from(data, "base64");
  // The operation would refuse it as well, after it was copied and read once more.
  if (file.length > maxBytes) throw fileTooLarge(maxBytes);
  const head = `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${field}"; filename="file"\r\ncontent-type: ${contentType}\r\n\r\n`;
  return {
    headers: { "content-type": `multipart/form-data; boundary=${BOUNDARY}` },
    payload: Buffer.concat([Buffer.from(head), file, Buffer.from(`\r\n--${BOUNDARY}--\r\n`)]),
  };
}

/**
 * The request of an operation whose path, query and body are given as one flat object.
 * @throws ApiError for arguments that no request could carry
 */
export function requestOf({ spec }: Endpoint, places: ArgumentPlaces, given: Arguments): OperationCall {
  const fields: Record<string, unknown> = {};
  const query = new URLSearchParams();
  // What the operation does not know goes where it refuses unknown fields, with the name that was likely meant.
  const others = spec.body === undefined && spec.upload === undefined ? "query" : "body";
  for (const [name, value] of Object.entries(given)) {
    const place = places.get(name) ?? others;
    if (place === "body") fields[name] = value;
    else if (place === "query" && value !== null) query.set(name, asText(name, value));
  }
  const path = spec.path.replace(/\{(\w+)\}/g, (_, name: string) => segment(name, given[name]));
  const url = query.size === 0 ? path : `${path}?${query}`;
  const { method } = spec;
  if (spec.upload !== undefined) return { method, url, ...fileOf(fields, spec.upload) };
  return spec.body === undefined
    ? { method, url }
    : { method, url, headers: JSON_TYPE, payload: JSON.stringify(fields) };
}

import type { FastifyRequest } from "fastify";
import type { Endpoint, Upload } from "../contract/endpoint.ts";
import { ApiError, fileTooLarge } from "../contract/errors.ts";
import { assertPlain } from "./body.ts";

/** The one file of a multipart body. @throws ApiError for further parts, or for a file that is too large */
export async function readUpload(
  request: FastifyRequest,
  upload: NonNullable<Endpoint["spec"]["upload"]>,
): Promise<Upload> {
  if (!request.isMultipart())
    throw new ApiError("invalid_request", "Content-Type must be multipart/form-data");
  assertPlain(request.headers);
  const malformed = (cause: unknown): never => {
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
    if (code === "FST_ERR_CTP_BODY_TOO_LARGE") throw cause;
    if (code === "FST_REQ_FILE_TOO_LARGE") throw fileTooLarge(upload.maxBytes);
    // The parser's other codes mean another field, or a second file.
    const rule = code.startsWith("FST_")
      ? `body must have nothing but ${upload.field}: one file`
      : "body must be multipart/form-data";
    throw new ApiError("invalid_request", rule, { cause });
  };
  const part = await request
    .file({ limits: { files: 1, fileSize: upload.maxBytes, fields: 0 } })
    .catch(malformed);
  if (part === undefined || part.fieldname !== upload.field) {
    part?.file.resume();
    throw new ApiError("invalid_request", `${upload.field} is required: one file`);
  }
  const bytes = await part.toBuffer().catch(malformed);
  // The parser reports a file that is too large only when further bytes arrive, so the flag has to be read as well.
  if (part.file.truncated) throw fileTooLarge(upload.maxBytes);
  return { bytes, contentType: part.mimetype };
}

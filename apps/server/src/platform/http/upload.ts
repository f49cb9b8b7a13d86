import type { FastifyRequest } from "fastify";
import type { Endpoint, Upload } from "./endpoint.ts";
import { ApiError } from "./errors.ts";

/** The one file of a multipart body. @throws ApiError when there is another thing, or too much of it. */
export async function readUpload(
  request: FastifyRequest,
  upload: NonNullable<Endpoint["spec"]["upload"]>,
): Promise<Upload> {
  if (!request.isMultipart())
    throw new ApiError("invalid_request", "Content-Type must be multipart/form-data");
  const malformed = (cause: unknown): never => {
    throw cause instanceof Error && "statusCode" in cause
      ? cause
      : new ApiError("invalid_request", "body must be multipart/form-data", { cause });
  };
  const part = await request
    .file({ limits: { files: 1, fileSize: upload.maxBytes, fields: 0 } })
    .catch(malformed);
  if (part === undefined || part.fieldname !== upload.field) {
    part?.file.resume();
    throw new ApiError("invalid_request", `${upload.field} is required: one file`);
  }
  return { bytes: await part.toBuffer().catch(malformed), contentType: part.mimetype };
}

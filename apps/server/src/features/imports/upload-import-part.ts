import { hash } from "node:crypto";
import { z } from "zod";
import { endpoint, KIB } from "../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../platform/http/contract/errors.ts";
import { pathId } from "../../platform/http/contract/fields.ts";
import { MOST_PARTS, PART_BYTES } from "./schema.ts";
import { countPartBytes, findPartDigest, insertPart, lockImport } from "./store.ts";
import { requireImport } from "./view.ts";

const MULTIPART_OVERHEAD = 16 * KIB;

export const uploadImportPart = endpoint(
  {
    id: "uploadImportPart",
    method: "PUT",
    path: "/api/v1/imports/{id}/parts/{n}",
    audit: "uploaded a part of a file",
    tag: "Imports",
    summary: "Upload a part of a file",
    description:
      "Bytes of the file as they are, gzip included: 4 MiB (4,194,304 bytes) in every part but the last, in any order, from 1. The same part again changes nothing.",
    keys: ["secret"],
    people: "editor",
    reachesUsers: "Nothing is read of it before it is started.",
    budget: "imports",
    tool: "A model has no file to bring in.",
    params: z.object({
      id: pathId.describe("Id of the import."),
      n: z
        .string()
        .regex(/^[1-9]\d{0,2}$/)
        .transform(Number)
        .refine((n) => n <= MOST_PARTS, `must be from 1 to ${MOST_PARTS}`)
        .meta({ type: "integer", minimum: 1, maximum: MOST_PARTS, description: "Which part it is, from 1." }),
    }),
    bodyLimit: PART_BYTES + MULTIPART_OVERHEAD,
    upload: { field: "file", maxBytes: PART_BYTES },
    errors: ["not_found", "conflict"],
    reasons: ["started", "part_differs"],
  },
  async (ctx, { params: { id, n }, file }) => {
    const { db, projectId, app } = ctx;
    if (file === null || file.bytes.length === 0)
      throw new ApiError("invalid_request", "file must not be empty");
    const { id: importId } = await requireImport(db, projectId, id);
    await lockImport(db, projectId, importId);
    const { state, startedAt } = await requireImport(db, projectId, id);
    if (state !== "waiting" || startedAt !== null)
      throw new ApiError("conflict", "This file was started already: begin another import.", {
        fields: { reason: "started" },
      });
    const sha256 = hash("sha256", file.bytes, "buffer");
    const known = await findPartDigest(db, projectId, importId, n);
    if (known?.equals(sha256)) return;
    if (known !== null)
      throw new ApiError("conflict", `Part ${n} is there with other bytes.`, {
        fields: { reason: "part_differs" },
      });
    const { importBytes } = app.config.limits;
    if ((await countPartBytes(db, projectId)) + file.bytes.length > importBytes)
      throw new ApiError(
        "too_large",
        `file is one too many: what a project uploads and has not brought in comes to at most ${importBytes} bytes (importBytes)`,
      );
    await insertPart(db, projectId, importId, { n, sha256, bytes: file.bytes });
  },
);

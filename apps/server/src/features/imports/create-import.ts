import { z } from "zod";
import { apiId } from "../../domain/ids.ts";
import { endpoint, KIB, Replay } from "../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../platform/http/contract/errors.ts";
import { text } from "../../platform/http/contract/fields.ts";
import { newUuid } from "../../platform/uuid.ts";
import { Import, ImportKind, ImportMapping, ImportOptions, Preset } from "./schema.ts";
import { findUnfinished, insertImport } from "./store.ts";
import { authorOf, requireImport, toImport } from "./view.ts";

export const createImport = endpoint(
  {
    id: "createImport",
    method: "POST",
    path: "/api/v1/imports",
    audit: "began to bring in a file",
    tag: "Imports",
    summary: "Begin to bring in a file",
    description:
      "Answers where its parts go. Upload them, look at what the file has, try it (`dryRun`) and start it. With `sha256`, a file of the same name that is uploaded already, or waits, is answered with 200, so that an upload that was cut goes on.",
    keys: ["secret"],
    people: "editor",
    reachesUsers: "Nothing is read of it before it is started.",
    budget: "imports",
    tool: "A model has no file to bring in.",
    bodyLimit: 256 * KIB,
    status: 201,
    replays: true,
    body: z.object({
      kind: ImportKind,
      name: text(200).describe("What the file is called."),
      preset: Preset.optional(),
      mapping: ImportMapping.optional().describe("What its columns mean, where the guess is wrong."),
      options: ImportOptions.optional().describe("How it is read beside its columns."),
      bytes: z
        .int()
        .min(1)
        .optional()
        .describe("How many bytes it has. Where they do not come to that, it does not start."),
      sha256: text(64, 64)
        .refine((typed) => /^[0-9a-f]{64}$/.test(typed), "must be 64 hexadecimal digits, in lower case")
        .optional()
        .describe("The SHA-256 of the file, in hex. Where it is another one, it does not start."),
    }),
    example: { kind: "users", name: "people.csv" },
    result: z.object({ import: Import.describe("The file that is brought in.") }),
  },
  async (ctx, { body }) => {
    const { db, projectId, now } = ctx;
    const { app } = ctx;
    const { kind, name, preset = null, mapping = null, options = {}, bytes = null } = body;
    const { importBytes } = app.config.limits;
    if (bytes !== null && bytes > importBytes)
      throw new ApiError("too_large", `bytes must be at most ${importBytes} (importBytes)`);
    const sha256 = body.sha256 === undefined ? null : Buffer.from(body.sha256, "hex");
    const unfinished = sha256 && (await findUnfinished(db, projectId, { kind, name, sha256 }));
    if (unfinished) return new Replay({ import: toImport(unfinished) });
    const id = newUuid(now);
    await insertImport(db, projectId, {
      id,
      kind,
      name,
      preset,
      mapping,
      options,
      declaredBytes: bytes,
      declaredSha256: sha256,
      by: authorOf(ctx),
      at: now,
    });
    return { import: toImport(await requireImport(db, projectId, apiId("imp", id))) };
  },
);

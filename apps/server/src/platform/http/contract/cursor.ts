import { z } from "zod";
import { ApiError } from "./errors.ts";
import { text } from "./fields.ts";

/** The longest cursor is of an event whose id takes four bytes a character. */
const MAX_CURSOR = 2_048;

/** The part of a query that goes on where an answer before ended. */
export const cursorQuery = {
  cursor: text(MAX_CURSOR).optional().describe("`nextCursor` of the answer before: goes on behind it."),
};

/** The part of an answer that says where the list goes on. */
export const cursorFields = {
  nextCursor: z
    .string()
    .max(MAX_CURSOR)
    .nullable()
    .meta({ description: "Where the list goes on; null at its end.", example: null }),
};

/** The part of an answer of a list that may be too long to be looked through at once. */
export const searchedFields = {
  searchedAll: z.boolean().meta({
    description: "Whether all were looked at; otherwise `nextCursor` goes on.",
    example: true,
  }),
};

/** What an entry has of a list's order, as the opaque text of a cursor. */
export const cursorOf = (position: readonly (string | number)[]): string =>
  Buffer.from(JSON.stringify(position)).toString("base64url");

function partsOf(cursor: string): readonly unknown[] | null {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString());
    return Array.isArray(parts) ? parts : null;
  } catch {
    return null;
  }
}

/**
 * The position in a cursor, or null where none is given. `read` answers null for parts that are no position of the list.
 * @throws ApiError where the text is not a cursor of this list
 */
export function readCursor<Position>(
  cursor: string | undefined,
  read: (parts: readonly unknown[]) => Position | null,
): Position | null {
  if (cursor === undefined) return null;
  const parts = partsOf(cursor);
  const position = parts === null ? null : read(parts);
  if (position === null)
    throw new ApiError("invalid_request", "cursor must be one that this operation answered");
  return position;
}

import { z } from "zod";
import { spelling } from "../../text/nearest-name.ts";
import { shortName } from "./closed.ts";

/**
 * Fields that an open body must not have, by name, each with what to do instead: the end of a sentence about the field. A name stands for
 * all of its spellings (`anonymousId`, `anonymous_id`).
 */
export type LookAlikes = Readonly<Record<string, string>>;

/** The same advice for each of some names, with blanks between them. */
export const adviceFor = (names: string, advice: string): LookAlikes =>
  Object.fromEntries(names.split(" ").map((name) => [name, advice]));

/** The fault of a body with a field that only looks like one of its own, or null. */
export type LookAlikeFault = (body: unknown) => string | null;

/**
 * Looks for unknown fields of an open body that must not be ignored, because the sender meant something by them: the listed ones, and
 * another spelling of a field that is missing (`event_id`). Other unknown fields pass.
 * @param schema of the body, which has been read with it
 */
export function lookAlikeFinder(schema: z.ZodType | undefined, lookAlikes: LookAlikes): LookAlikeFault {
  const known = schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
  const own = new Set(known);
  const bySpelling = new Map(known.map((name) => [spelling(name), name]));
  const instead = new Map(Object.entries(lookAlikes).map(([name, advice]) => [spelling(name), advice]));
  return (body) => {
    // It has been read with an object's schema.
    const given = body as Readonly<Record<string, unknown>>;
    for (const name in given) {
      if (own.has(name)) continue;
      const spelt = spelling(name);
      const listed = instead.get(spelt);
      if (listed !== undefined) return `${shortName(name)}: unknown field, ${listed}`;
      const meant = bySpelling.get(spelt);
      if (meant !== undefined && given[meant] === undefined)
        return `${shortName(name)}: unknown field, did you mean ${meant}?`;
    }
    return null;
  };
}

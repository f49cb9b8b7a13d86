import type { z } from "zod";
import type { Db } from "../../platform/db/db.ts";
import { Download, type Endpoint, endpoint } from "../../platform/http/contract/endpoint.ts";
import { ApiError, type ErrorCode } from "../../platform/http/contract/errors.ts";
import { explainIssue } from "../../platform/http/contract/explain-issue.ts";
import { CONTENT_TYPES, type Format, FormatParam } from "./schema.ts";

/** Where a list is read. `now` (epoch ms) is when the file begins: what comes later is not in it. */
export type ListReading = { db: Db; projectId: string; now: number };

/** What an audit entry shows of filters: their names, and the values of those that name no person. */
const SHOWN = ["campaignId", "segment", "since", "until", "state", "status", "reason", "name", "kind"];

type Contract<Query> = {
  /** What the list is called, in the path and on the command line. */
  name: string;
  id: string;
  audit: string;
  summary: string;
  description: string;
  query: Query;
  errors?: readonly ErrorCode[];
};

/** A list that can be taken out: by an operation, and by a command, whose options are the filters. */
export type List = {
  name: string;
  summary: string;
  endpoint: Endpoint;
  /** The filters with what they mean. */
  filters: readonly { name: string; about: string }[];
  /** The pieces of the file. @throws ApiError for filters that the list does not take */
  read: (reading: ListReading, filters: object, format: Format) => Promise<AsyncIterable<string>>;
};

const ABOUT =
  "The file is written while it is read, in pages: it has each row once that was there when it began and is there still, as the row is when its page is read. Where it cannot be read to the end, the connection is cut, so that no program takes a part for the whole. Erased users are not in it.";

type Shape = Readonly<Record<string, z.ZodType>>;

/** A list by its contract, and by what opens it. */
export function list<S extends Shape>(
  { name, description, query, errors = [], ...about }: Contract<z.ZodObject<S>>,
  open: (
    reading: ListReading,
    query: z.output<z.ZodObject<S>>,
    format: Format,
  ) => Promise<AsyncIterable<string>>,
): List {
  const shape: Shape = query.shape;
  return {
    name,
    summary: about.summary,
    filters: Object.entries(shape).map(([filter, schema]) => ({
      name: filter,
      about: schema.description ?? schema.meta()?.description ?? "",
    })),
    async read(reading, filters, format) {
      const parsed = query.safeParse(filters, { reportInput: true });
      if (!parsed.success) throw new ApiError("invalid_request", explainIssue(parsed.error, "filter"));
      return open(reading, parsed.data, format);
    },
    endpoint: endpoint(
      {
        ...about,
        method: "GET",
        path: `/api/v1/extracts/${name}.{format}`,
        tag: "Lists",
        description: `${description} ${ABOUT}`,
        keys: ["secret"],
        people: "approver",
        fresh: true,
        audited: true,
        budget: "extracts",
        tool: "It answers a file with a whole list, which no model reads.",
        cost: "heavy",
        downloads: Object.values(CONTENT_TYPES),
        params: FormatParam,
        query,
        errors,
      },
      async (ctx, input) => {
        const { format } = input.params;
        const pieces = await open(ctx, input.query, format);
        const given = Object.entries(input.query).filter(([, value]) => value !== undefined);
        ctx.describe({
          target: `${name}.${format}`,
          after: Object.fromEntries(
            given.map(([filter, value]) => [filter, SHOWN.includes(filter) ? value : "(left out)"]),
          ),
        });
        const day = new Date(ctx.now).toISOString().slice(0, 10);
        return new Download(CONTENT_TYPES[format], `${name}-${day}.${format}`, pieces);
      },
    ),
  };
}

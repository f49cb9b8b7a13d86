import { apiId } from "../../../../domain/ids.ts";
import type { Ctx } from "../../../../platform/http/contract/endpoint.ts";
import { findAuthors } from "../../../audit/public.ts";
import { countUse } from "../store.ts";

/** Operations that make a version of a segment. */
const MAKING = ["createSegment", "updateSegment"];

/** Campaigns that pin a segment or one of its versions. */
type Campaigns = { all: number; open: number };

/** Which campaigns pin segments, and the names of the people who made their versions. `ids` are those of the API. */
export async function readUse({ db, projectId }: Ctx, segmentUuids: readonly string[]) {
  const ids = segmentUuids.map((uuid) => apiId("seg", uuid));
  const used = await countUse(db, projectId, ids);
  const authors = await findAuthors(db, projectId, MAKING, ids);
  return {
    /** Of all versions where none is named. */
    campaignsOf(segmentUuid: string, version?: number): Campaigns {
      const id = apiId("seg", segmentUuid);
      return used
        .filter((each) => each.segmentId === id && (version === undefined || each.version === version))
        .reduce((sum, { all, open }) => ({ all: sum.all + all, open: sum.open + open }), { all: 0, open: 0 });
    },
    authorOf: (segmentUuid: string, at: number): string | null =>
      authors.get(apiId("seg", segmentUuid))?.get(at) ?? null,
  };
}

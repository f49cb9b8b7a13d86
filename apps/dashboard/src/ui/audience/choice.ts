import type { Input } from "@tidings/client";
import type { Campaign } from "../../platform/api-types.ts";
import { type AudienceQuery, blankPlaces, EVERYONE, type Expression } from "./tree.pure.ts";

/** An audience as a request names it. */
export type AudienceBody = NonNullable<Input<"createCampaign">["body"]["audience"]>;
/** `invalid` is a stored audience that cannot be read: it stays as it is until another one is chosen. */
export type DraftAudience = AudienceBody | { kind: "invalid" };

/** An audience as a request names it; undefined for one that cannot be read. A segment keeps its version. */
export function audienceFor(audience: Campaign["audience"]): AudienceBody | undefined {
  switch (audience.kind) {
    case "all":
      return audience;
    case "expression": {
      const { kind, expression, reason } = audience;
      return { kind, expression, ...(reason !== null && { reason }) };
    }
    case "segment":
      return { kind: "segment", segment: audience.segmentId, version: audience.segmentVersion };
    case "invalid":
      return undefined;
  }
}

/** What is counted of an audience; null where nothing can be. */
export function questionOf(audience: DraftAudience): AudienceQuery | null {
  switch (audience.kind) {
    case "all":
      return { expression: EVERYONE };
    case "expression":
      // Only expressions are written to this field.
      return { expression: audience.expression as Expression };
    case "segment": {
      const { segment, version } = audience;
      return segment === "" ? null : { segment, ...(version !== undefined && { version }) };
    }
    case "invalid":
      return null;
  }
}

/** Whether an audience was begun, and is not complete yet: a condition or the segment is still to be chosen. */
export function isBegun(audience: DraftAudience): boolean {
  if (audience.kind === "segment") return audience.segment === "";
  return audience.kind === "expression" && blankPlaces((audience.expression as Expression).root).length > 0;
}

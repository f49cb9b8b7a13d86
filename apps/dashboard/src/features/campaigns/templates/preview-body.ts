import type { Input } from "@tidings/client";
import type { CampaignDetail } from "../../../platform/api-types.ts";
import { liveVariants } from "../rules.ts";
import type { TemplateData } from "./use-template-data.ts";

type Body = Input<"previewMessage">["body"];

/** The request that draws the first text of a template, and says what that names of the data. */
export const previewBodyOf = (
  template: Pick<CampaignDetail, "variants">,
  { value }: Pick<TemplateData, "value">,
): Body => ({
  channel: "email",
  // A stored message has the shape that a request sends.
  message: (liveVariants(template)[0]?.content ?? {}) as Body["message"],
  purpose: "transactional",
  ...(value !== null && { data: value }),
});

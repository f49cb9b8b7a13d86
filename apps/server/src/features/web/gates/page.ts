import { z } from "zod";
import { PagePatterns } from "../../campaigns/authoring/schema.ts";
import { gate } from "../../deliveries/gates/gate.ts";
import { listed, shortened } from "../../deliveries/gates/words.pure.ts";

/** `isOnPage`: whether the campaign is for the page that is asked about, or none is named. */
type Facts = { isOnPage: boolean };
/** `path`: of the page, normalized; null where none is named. `pages`: those of the campaign, null for every page. */
type Found = { path: string | null; pages: string[] | null };

/** Whether the campaign is for the page. */
export const pageGate = gate({
  gate: "page",
  asks: "is the campaign for this page?",
  stages: ["feed"],
  shape: {
    path: z.string().max(2_048).nullable().describe("The path as it is compared; null where none was given."),
    pages: PagePatterns,
  },
  passes: ({ isOnPage }: Facts) => isOnPage,
  skipped: ({ path, pages }: Found) =>
    pages === null || path !== null
      ? null
      : `The campaign is for ${listed(pages)}. No page was named to compare.`,
  note({ isOnPage, path, pages }: Facts & Found) {
    if (pages === null || path === null) return "The campaign is for every page.";
    const which = isOnPage ? "one" : "none";
    return `The campaign is for ${listed(pages)}, and ${shortened(path)} is ${which} of them.`;
  },
  details: ({ path, pages }: Found) => ({ path, pages }),
});

import { z } from "zod";
import { apiId } from "../../../domain/ids.ts";
import { gate } from "./gate.ts";
import { quoted } from "./words.pure.ts";

/** `variant`: the one that the user has or would get; null where no variant has a weight. */
type Facts = { variant: { id: string } | null };
type Found = Facts & {
  campaign: { variants: readonly { id: string; name: string }[] };
  delivery: object | null;
};

const nameIn = ({ campaign, variant }: Found): string | null =>
  campaign.variants.find(({ id }) => id === variant?.id)?.name ?? null;

/** Whether there is a variant for the user. */
export const variantGate = gate({
  gate: "variant",
  asks: "which variant did the user get, or would get?",
  stages: ["plan"],
  shape: {
    variantId: z
      .string()
      .max(128)
      .nullable()
      .describe("The variant that the user has, or would get with the weights of now."),
    variantName: z.string().max(40).nullable().describe("Name of the variant."),
  },
  passes: ({ variant }: Facts) => variant !== null,
  note(found: Found) {
    if (found.variant === null) return "No variant gets users: the weight of each is 0.";
    const name = nameIn(found);
    const called = name === null ? "a variant that is gone" : `the variant ${quoted(name)}`;
    return found.delivery === null ? `The user would get ${called}.` : `The user got ${called}.`;
  },
  details: (found: Found) => ({
    variantId: found.variant === null ? null : apiId("var", found.variant.id),
    variantName: nameIn(found),
  }),
});

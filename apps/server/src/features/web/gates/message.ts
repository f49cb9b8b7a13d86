import { gate } from "../../deliveries/gates/gate.ts";

/** `content`: with the personal fields of the user filled in; null where no text is left, or no variant is there to show. */
type Facts = { content: object | null };

/** Whether there is something to show. */
export const webMessageGate = gate({
  gate: "message",
  asks: "is there something to say once the personal fields are filled in?",
  stages: ["plan", "feed"],
  reasons: { no_text: "no text is left of the message once its personal fields are filled in" },
  passes: ({ content }: Facts) => content !== null,
  skipped: ({ variant }: { variant: object | null }) =>
    variant === null ? "No variant gets users, so there is nothing to show." : null,
  note: ({ content }: Facts) =>
    content === null
      ? "No text is left once the personal fields are filled in."
      : "The message has a text for this user.",
});

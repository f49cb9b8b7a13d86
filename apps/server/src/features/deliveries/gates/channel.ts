import { gate } from "./gate.ts";

/** `channelFault`: the first refusal that a launch would get; null for none. */
type Facts = { channelFault: string | null };

/** Whether the project can send over the channel at all. */
export const channelGate = gate({
  gate: "channel",
  asks: "can the project send at all? The same that a launch asks",
  stages: [],
  passes: ({ channelFault }: Facts) => channelFault === null,
  note: ({ channelFault }: Facts) => channelFault ?? "The project can send over this channel.",
});

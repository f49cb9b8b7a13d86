export const monthWords = {
  title: "Look around in a shop that has been open for a month",
  about:
    "Invented customers, what they did in 30 days, and campaigns in the page, by mail and by push with what came of them. Nothing leaves this server.",
  fill: "Fill with a month of the shop",
  filling: "Playing 30 days. It takes some seconds.",
} as const;

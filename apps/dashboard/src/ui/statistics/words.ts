export const words = {
  rateOf: (rate: string, users: string) =>
    `${rate} of ${users} ${users === "1" ? "user" : "users"} converted`,
  splitBroken:
    "Users are split otherwise than the weights say, so these rates may not be compared. Something loses users of one variant: find it first.",
  nobodyYet: "No user has had it yet.",
  pending: (users: string) => `${users} more wait for their window`,
  between: (low: string, high: string) => `${low} to ${high}`,
  atLeast: (low: string) => `${low} or more`,
  noRate: "no users yet",
  holdout: "With and without messages",
  users: "Users",
  exposed: "How many",
  rate: "Convert",
  difference: "Difference",
  served: "Got messages",
  withheld: "Held out",
  verdicts: {
    better: (lift: string) => `Messages bring conversions: at least ${lift} more.`,
    worse: (lift: string) => `Messages cost conversions: at most ${lift}.`,
    similar: "Messages make no difference that matters.",
    undecided: "It is open whether messages make a difference.",
  },
  mismatch: "Do not believe it yet",
  mismatchAbout:
    "Another share of users was held out than the goal asks for. Something loses users on one side. Find it first.",
} as const;

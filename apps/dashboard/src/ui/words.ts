export const words = {
  noAnswer: "The server gave no answer.",
  request: (id: string) => `Request ${id}`,
  tryAgain: "Try again",
  loading: "Loading",
  never: "never",
  copy: "Copy",
  dismiss: "Dismiss",
  copied: "Copied",
} as const;

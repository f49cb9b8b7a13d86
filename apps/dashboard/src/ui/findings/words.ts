export const words = {
  title: "Look at the texts before they go out",
  missing: (users: string, all: string, trait: string) =>
    `${users} of ${all} have no ${trait}, and there is no default.`,
  effect: {
    web_inapp: "Nothing stands there for them; whose message has no other text does not get it.",
    email: "Nothing stands there for them.",
    push: "Who has none does not get the push.",
  },
  uncounted: (fields: number) =>
    fields === 1
      ? "1 more personal field was not counted."
      : `${fields} more personal fields were not counted.`,
  nthButton: (nth: number) => `Button ${nth}`,
  meant: (names: readonly string[]) => `Perhaps it is ${names.join(" or ")}.`,
  at: (variant: string | null, field: string) => (variant === null ? `${field}: ` : `${variant}, ${field}: `),
  edit: "Change it",
} as const;

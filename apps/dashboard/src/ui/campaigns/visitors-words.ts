/** Whether a web campaign is for visitors who are not signed in, in words. */
export const visitorsWords = {
  field: "Who it is for",
  about:
    "Visitors are people who are not signed in. They are met where the project keeps them: the setting “Keep visitors before they sign in”.",
  choices: { none: "Users", also: "Users and visitors", only: "Visitors only" },
} as const;

export type VisitorsMet = keyof typeof visitorsWords.choices;

/** Whether a value of the API is such a choice. */
export const isVisitorsMet = (value: unknown): value is VisitorsMet =>
  typeof value === "string" && value in visitorsWords.choices;

/** Whether a campaign of email or push is sent once, or goes on to users who match later, in words. */
export const onceWords = {
  field: "Who gets it",
  choices: {
    once: "Everybody who matches when it is launched, once",
    onward: "Also everybody who matches later, as long as it runs",
  },
  about: {
    once: "It goes through its audience one time, when it is launched or when its time begins. Then it ends by itself, and whoever matches later gets nothing.",
    onward:
      "It goes on to whoever comes to match, until you end it or its time is over. No user gets it twice.",
  },
} as const;

/** The choice of a campaign in words. */
export const describeOnce = (once: boolean): string => onceWords.choices[once ? "once" : "onward"];

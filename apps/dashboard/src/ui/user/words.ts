export const words = {
  user: "User",
  about: "Your own id of the user. An email address or a name finds it.",
  ask: "Find out",
  unknown: "Nobody has this id.",
  meant: "Did you mean this user?",
  several: "Several users are like that. Whom do you mean?",
  many: "More than five users are like that, and these are the first. Write more of the id, the address or the name.",
  none: "No id, email address or name is like that either.",
  newestOnly:
    "There are many users, so names and parts of an id were looked for among the newest alone. A whole id is found among all.",
  by: {
    id: "found by the id",
    email: "found by the email address",
    name: "found by the name",
  },
} as const;

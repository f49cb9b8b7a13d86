/** Which rows of `users` are meant: those of users, of visitors who are not signed in, or both. */
export type UserKind = "users" | "visitors" | "both";

/** What a list of users has, as its query says: users, or visitors alone. */
export const kindOf = (visitors: "none" | "only" | undefined): UserKind =>
  visitors === "only" ? "visitors" : "users";

/** `…` in an answer that a page shows stands for anything. */
export const shownAnswer = (text: string): RegExp =>
  new RegExp(
    text
      .trim()
      .split("…")
      .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
      .join(".*?"),
  );

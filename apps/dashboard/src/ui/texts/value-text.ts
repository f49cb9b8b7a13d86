/** A value of a trait or of an event's property as a person reads it. */
export const valueText = (value: unknown): string =>
  typeof value === "string" ? value : (JSON.stringify(value) ?? "");

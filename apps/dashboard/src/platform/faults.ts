/** What is wrong with one field, where the message of a refusal begins with its name. */
export const faultAt = (message: string | null, field: string): string | undefined =>
  message?.startsWith(`${field} `) || message?.startsWith(`${field}: `)
    ? message.slice(field.length + 1).trim()
    : undefined;

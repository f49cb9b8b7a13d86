/** `emailSends` -> `email_sends`: what the database calls what code calls so. */
export const snakeCase = (name: string): string =>
  name.replaceAll(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`);

/** `emailSends` -> `email-sends`: what the command line calls what code calls so. */
export const kebabCase = (name: string): string =>
  name.replaceAll(/[A-Z]/g, (capital) => `-${capital.toLowerCase()}`);

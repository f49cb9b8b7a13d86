type Policies = { createPolicy(name: string, rules: { createHTML(text: string): string }): unknown };

/**
 * The server lets no script write HTML from text (require-trusted-types-for). Mantine writes style sheets that way, which have no "<": those
 * pass, and nothing else does.
 */
export function guardHtml(): void {
  const { trustedTypes } = globalThis as { trustedTypes?: Policies };
  trustedTypes?.createPolicy("default", {
    createHTML(text) {
      if (text.includes("<")) throw new TypeError("HTML is not written from text.");
      return text;
    },
  });
}

/** Names of traits that a template takes as they are; it takes any other in quotes. */
const PLAIN_NAME = /^[A-Za-z_]\w*$/;

/** A personal field as the language of templates has it: a trait, and what stands there for users without it, where something is to. */
export function personalField(trait: string, fallback: string): string {
  const name = PLAIN_NAME.test(trait) ? `user.${trait}` : `user[${JSON.stringify(trait)}]`;
  return fallback === "" ? `{{ ${name} }}` : `{{ ${name} | default: ${JSON.stringify(fallback)} }}`;
}

/** The fields of a message whose texts may have personal fields, by their names in the form. */
export const PERSONAL_FIELDS: readonly string[] = ["title", "body", "subject", "previewText", "cta.label"];

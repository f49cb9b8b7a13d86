/**
 * How the id of a visitor begins, by which everything of one is kept as of a user: `$anon:` and the random id that their browser made. No user
 * of a customer's product has such an id.
 */
export const VISITOR_PREFIX = "$anon:";

/** The id under which a visitor is kept. */
export const visitorIdOf = (anonymousId: string): string => VISITOR_PREFIX + anonymousId;

/** Whether an id is that of a visitor. */
export const isVisitorId = (externalId: string): boolean => externalId.startsWith(VISITOR_PREFIX);

/** The random id of a visitor's browser, from the id under which they are kept. */
export const anonymousIdOf = (visitorId: string): string => visitorId.slice(VISITOR_PREFIX.length);

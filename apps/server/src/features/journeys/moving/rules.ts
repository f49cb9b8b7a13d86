/** How many users, or events of theirs, one transaction moves. */
export const AT_ONCE = 500;

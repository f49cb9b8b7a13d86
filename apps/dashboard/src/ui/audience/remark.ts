/** What the server says of a place in an expression, with names that were likely meant. */
export type ExpressionRemark = { path: string; message: string; severity: string; suggestions?: string[] };

/** Whether a remark is about a node, or about something within it. @param place JSON pointer of the node */
export const isAt = (path: string, place: string): boolean => path === place || path.startsWith(`${place}/`);

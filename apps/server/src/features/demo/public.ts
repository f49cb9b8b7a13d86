export { makeEntryToken } from "./entry-token.ts";
export { fillMonth } from "./month/fill.ts";
export { openShop as openDemo } from "./open-shop.ts";

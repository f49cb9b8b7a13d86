export { eraseReceipts } from "./erase-store.ts";

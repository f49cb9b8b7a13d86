export { eraseReceipts } from "./erase-store.ts";
export { serveMessages } from "./get-messages.ts";
export { previewWeb } from "./preview.ts";
export { webReach } from "./reach.ts";
export { acknowledge } from "./send-delivery-feedback.ts";

export { listFailingSyncs } from "./writing/turn-store.ts";

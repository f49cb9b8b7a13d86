export { openOutbox } from "./outbox.ts";
export {
  eraseOutboxMessages,
  findOutboxMessageAcrossProjects,
  listOutboxAcrossProjects,
  type OutboxMessage,
  trimOutboxAcrossProjects,
} from "./outbox-store.ts";
export { ANSWER_MS, openSmtp } from "./smtp.ts";

import { operationCommand } from "../../../platform/cli/operation-command.ts";
import { rotateKey } from "../keys/rotate-key.ts";

/** `tidings key rotate`: a new API key of a project. */
export const keyCommand = operationCommand<{ key: string; kind: string }>({
  words: "key rotate",
  operation: rotateKey,
  description: "make a new key and let the old one go; the new one is printed this once",
  options: {
    kind: { says: "which key" },
    graceMinutes: { name: "grace", value: "minutes", says: "how long the old key still works" },
  },
  says: ({ key }) => key,
  json: ({ key, kind }, { project }) => ({ projectId: project?.id, kind, key }),
});

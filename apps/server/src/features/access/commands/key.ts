import { operationCommand } from "../../../platform/cli/operation-command.ts";
import { createKey } from "../keys/create-key.ts";
import { rotateKey } from "../keys/rotate-key.ts";

type Made = { key: string; kind: string };

/** `tidings key create`: a further API key of a project. */
export const createKeyCommand = operationCommand<Made>({
  words: "key create",
  operation: createKey,
  description: "make a further key beside those that are there; it is printed this once",
  options: { kind: { says: "what it is for" } },
  says: ({ key }) => key,
  json: ({ key, kind }, { project }) => ({ projectId: project?.id, kind, key }),
});

/** `tidings key rotate`: a new API key of a project. */
export const rotateKeyCommand = operationCommand<Made>({
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

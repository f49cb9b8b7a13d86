import { operationCommand } from "../../../platform/cli/operation-command.ts";
import { showIdentitySecret } from "../perimeter/show-identity-secret.ts";

/** `tidings identity secret`: with it a customer's servers prove who their visitors are. No API key can read it. */
export const identityCommand = operationCommand<{ secret: string; isNew: boolean }>({
  words: "identity secret",
  operation: showIdentitySecret,
  description: "show the project's identity secret, which is made on first use; with --rotate, make another",
  options: {
    rotate: { isFlag: true, says: "make another one; the present one is believed for the grace period" },
    graceMinutes: { name: "grace", value: "minutes" },
  },
  takesBy: true,
  says: ({ secret }) => secret,
  json: (answer, { project }) => ({ projectId: project?.id, ...answer }),
});

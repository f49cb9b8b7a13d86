import { Alert, Fieldset } from "@mantine/core";
import type { ReactNode } from "react";
import { roleAt, useMe } from "../../platform/me.ts";
import { useOperation } from "../../platform/operations.ts";
import { reaches } from "../../platform/pages.ts";

/** Whether the setting people.launch asks for a higher role than the person has in a project. */
export function useIsBelowLaunchRole(scope: string): boolean {
  const role = roleAt(useMe(), scope);
  const rules = useOperation(scope, "getLaunchRules", {});
  return rules.data !== undefined && !reaches(role, rules.data.role);
}

type Props = { isClosed: boolean; reason: string; children: ReactNode };

/** Fields that cannot be changed while a reason stands above them. */
export function ClosedFields({ isClosed, reason, children }: Props) {
  return (
    <>
      {isClosed && <Alert color="yellow" title={reason} />}
      <Fieldset variant="unstyled" disabled={isClosed}>
        {children}
      </Fieldset>
    </>
  );
}

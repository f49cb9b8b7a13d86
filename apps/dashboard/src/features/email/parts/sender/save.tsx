import { roleAt, useMe } from "../../../../platform/me.ts";
import { reaches } from "../../../../platform/pages.ts";
import { RoleButton } from "../../../../ui/dialogs/role-button.tsx";
import { SaveButton } from "../../../../ui/form/save-button.tsx";
import { words } from "../../words.ts";

export const useIsOwner = (scope: string): boolean => reaches(roleAt(useMe(), scope), "owner");

/** Sends a form about the sender, which takes an owner. */
export function Save({ scope, loading }: { scope: string; loading: boolean }) {
  if (!useIsOwner(scope))
    return (
      <RoleButton scope={scope} needs="owner" variant="default" onClick={() => undefined}>
        {words.save}
      </RoleButton>
    );
  return (
    <SaveButton type="submit" variant="default" loading={loading}>
      {words.save}
    </SaveButton>
  );
}

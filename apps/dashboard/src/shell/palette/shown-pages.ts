import { ORGANIZATION } from "../../platform/client.ts";
import { type Me, roleAt } from "../../platform/me.ts";
import { type Page, reaches } from "../../platform/pages.ts";

/** The pages that the navigation shows at a project, or under all projects. */
export const shownPages = (pages: readonly Page[], me: Me, scope: string): Page[] =>
  pages.filter(
    ({ isWithin, ofProject, ofServer }) =>
      !isWithin && (scope === ORGANIZATION ? !ofProject && (!ofServer || me.isOperator) : !ofServer),
  );

/** Whether a person has the role that a page takes. */
export const mayOpen = ({ role }: Page, me: Me, scope: string): boolean =>
  role === null || reaches(roleAt(me, scope), role);

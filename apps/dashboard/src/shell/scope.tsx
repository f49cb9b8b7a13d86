import { Alert } from "@mantine/core";
import type { ReactNode } from "react";
import { useNamed } from "../platform/address.ts";
import { ORGANIZATION } from "../platform/client.ts";
import { type Me, roleAt, useMe } from "../platform/me.ts";
import { type Page, PageContext, reaches } from "../platform/pages.ts";
import { Page as PageFrame } from "../ui/page.tsx";
import { words } from "./words.ts";

/** What a person lacks for a page, in a few words and a sentence; null where it is open to them. */
function lackFor({ ofProject, ofServer, role: needed }: Page, me: Me, scope: string) {
  const role = roleAt(me, scope);
  if (ofProject && scope === ORGANIZATION)
    return { what: words.needsProject, about: words.needsProjectAbout };
  if (ofServer && (scope !== ORGANIZATION || !me.isOperator))
    return { what: words.needsOperator, about: words.needsOperatorAbout };
  if (needed !== null && !reaches(role, needed))
    return { what: words.forbidden(needed), about: words.forbiddenAbout(role) };
  return null;
}

type Props = { page: Page; children: (scope: string) => ReactNode };

/** A page at the project of the address, or its name and what the person lacks for it. */
export function AtScope({ page, children }: Props) {
  const scope = useNamed("scope");
  const lack = lackFor(page, useMe(), scope);
  return (
    <PageContext value={page}>
      {lack === null ? (
        children(scope)
      ) : (
        <PageFrame>
          <Alert title={lack.what}>{lack.about}</Alert>
        </PageFrame>
      )}
    </PageContext>
  );
}

import { Alert } from "@mantine/core";
import { type ReactNode, Suspense } from "react";
import { useNamed } from "../platform/address.ts";
import { ORGANIZATION } from "../platform/client.ts";
import { roleAt, useMe } from "../platform/me.ts";
import { type Page, PageContext, reaches } from "../platform/pages.ts";
import { words } from "./words.ts";

type Props = { page: Page; children: (scope: string) => ReactNode };

/** A page at the project of the address, or what the person lacks for it. */
export function AtScope({ page, children }: Props) {
  const scope = useNamed("scope");
  const me = useMe();
  const role = roleAt(me, scope);
  if (page.ofProject && scope === ORGANIZATION)
    return <Alert title={words.needsProject}>{words.needsProjectAbout}</Alert>;
  if (page.ofServer && (scope !== ORGANIZATION || !me.isOperator))
    return <Alert title={words.needsOperator}>{words.needsOperatorAbout}</Alert>;
  const { role: needed } = page;
  if (needed !== null && !reaches(role, needed))
    return <Alert title={words.forbidden(needed)}>{words.forbiddenAbout(role)}</Alert>;
  return (
    <PageContext value={page}>
      <Suspense>{children(scope)}</Suspense>
    </PageContext>
  );
}

import { SimpleGrid } from "@mantine/core";
import { useMe } from "../../platform/me.ts";
import { zoneName } from "../../platform/times.ts";
import { Page } from "../../ui/page.tsx";
import { KeysSetting } from "./parts/keys-setting.tsx";
import { Passkeys } from "./parts/passkeys.tsx";
import { PasswordForm } from "./parts/password-form.tsx";
import { Sessions } from "./parts/sessions.tsx";
import { words } from "./words.ts";

export function AccountPage() {
  const { name, email } = useMe();
  return (
    <Page about={words.about(name, email, zoneName())}>
      <SimpleGrid cols={{ base: 1, lg: 2 }}>
        <PasswordForm />
        <Passkeys />
      </SimpleGrid>
      <KeysSetting />
      <Sessions />
    </Page>
  );
}

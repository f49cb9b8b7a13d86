import { Alert, Card, Checkbox, PasswordInput, Stack, Title } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useMe } from "../../../platform/me.ts";
import { changePassword } from "../../../platform/sign-in.ts";
import { NewPassword } from "../../../ui/dialogs/new-password.tsx";
import { CheckedForm } from "../../../ui/form/checked-form.tsx";
import { SaveButton } from "../../../ui/form/save-button.tsx";
import { Problem } from "../../../ui/problem.tsx";
import { words } from "../words.ts";

export function PasswordForm() {
  const { email, passkeys } = useMe();
  const [keeps, setKeeps] = useState(false);
  const [present, setPresent] = useState("");
  const [chosen, setChosen] = useState("");
  const queries = useQueryClient();
  const changing = useMutation({
    mutationFn: () => changePassword(present, chosen, keeps),
    async onSuccess() {
      setPresent("");
      setChosen("");
      await queries.invalidateQueries();
    },
  });
  const submit = (): void => changing.mutate();
  return (
    <Card withBorder component="section">
      <CheckedForm submit={submit}>
        {(faultOf) => (
          <Stack>
            <Title order={2} size="h4">
              {words.password}
            </Title>
            {changing.error !== null && <Problem error={changing.error} />}
            {changing.isSuccess && <Alert role="status">{words.changed}</Alert>}
            <input type="hidden" name="email" autoComplete="username" value={email} readOnly />
            <PasswordInput
              label={words.present}
              name="present"
              error={faultOf("present")}
              autoComplete="current-password"
              required
              value={present}
              onChange={({ currentTarget }) => setPresent(currentTarget.value)}
            />
            <NewPassword
              description={words.rule}
              name="new"
              error={faultOf("new")}
              value={chosen}
              change={setChosen}
            />
            {passkeys > 0 && (
              <Checkbox
                label={words.keepPasskeys(passkeys)}
                description={words.keepPasskeysAbout}
                checked={keeps}
                onChange={({ currentTarget }) => setKeeps(currentTarget.checked)}
              />
            )}
            <SaveButton type="submit" variant="default" loading={changing.isPending}>
              {words.change}
            </SaveButton>
          </Stack>
        )}
      </CheckedForm>
    </Card>
  );
}

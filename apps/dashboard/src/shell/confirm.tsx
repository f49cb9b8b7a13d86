import { Button, PasswordInput, Stack, Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useCallback, useState } from "react";
import { ORGANIZATION } from "../platform/client.ts";
import { ConfirmationContext } from "../platform/confirmation.ts";
import { useOperation } from "../platform/operations.ts";
import { hasPasskeys, signIn, signInWithPasskey } from "../platform/sign-in.ts";
import { Dialog } from "../ui/dialogs/dialog.tsx";
import { CheckedForm } from "../ui/form/checked-form.tsx";
import { SaveButton } from "../ui/form/save-button.tsx";
import { Problem } from "../ui/problem.tsx";
import { words } from "./words.ts";

function ConfirmForm({ done }: { done: () => void }) {
  const [password, setPassword] = useState("");
  const queries = useQueryClient();
  const me = useOperation(ORGANIZATION, "getMe");
  const entering = useMutation({
    mutationFn: (way: () => Promise<void>) => way(),
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: [ORGANIZATION, "getMe"] });
      done();
    },
  });
  const submit = (): void => entering.mutate(() => signIn(me.data?.email ?? "", password));
  return (
    <CheckedForm submit={submit}>
      {(faultOf) => (
        <Stack>
          <Text>{words.confirmAbout}</Text>
          {entering.error !== null && <Problem error={entering.error} />}
          <input type="hidden" name="email" autoComplete="username" value={me.data?.email ?? ""} readOnly />
          <PasswordInput
            label={words.password}
            name="password"
            error={faultOf("password")}
            autoComplete="current-password"
            required
            data-autofocus
            value={password}
            onChange={({ currentTarget }) => setPassword(currentTarget.value)}
          />
          <SaveButton type="submit" loading={entering.isPending} disabled={me.data === undefined}>
            {words.confirm}
          </SaveButton>
          {hasPasskeys() && (me.data?.passkeys ?? 0) > 0 && (
            <Button variant="default" onClick={() => entering.mutate(signInWithPasskey)}>
              {words.withPasskey}
            </Button>
          )}
        </Stack>
      )}
    </CheckedForm>
  );
}

/** Shows the question whether it is really the person, where a change asks for it. */
export function ConfirmationProvider({ children }: { children: ReactNode }) {
  const [answer, setAnswer] = useState<((isConfirmed: boolean) => void) | null>(null);
  const confirm = useCallback(() => new Promise<boolean>((resolve) => setAnswer(() => resolve)), []);
  const end = (isConfirmed: boolean): void => {
    answer?.(isConfirmed);
    setAnswer(null);
  };
  return (
    <ConfirmationContext value={confirm}>
      {children}
      <Dialog isAbove opened={answer !== null} close={() => end(false)} title={words.confirmTitle}>
        <ConfirmForm done={() => end(true)} />
      </Dialog>
    </ConfirmationContext>
  );
}

import { Button, Divider, PasswordInput, Text, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { hasPasskeys, signIn, signInWithPasskey } from "../platform/sign-in.ts";
import { CheckedForm } from "../ui/form/checked-form.tsx";
import { Problem } from "../ui/problem.tsx";
import { EntryFrame } from "./entry-frame.tsx";
import { words } from "./words.ts";

/** Where to go after signing in: a page of the dashboard, whatever the address says. */
const pageIn = (to: string | undefined): string => (to?.startsWith("/p/") ? to : "/");

export function SignInPage() {
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const { to } = useSearch({ strict: false }) as { to?: string };
  const navigate = useNavigate();
  const queries = useQueryClient();
  const entering = useMutation({
    mutationFn: (way: () => Promise<void>) => way(),
    async onSuccess() {
      queries.clear();
      await navigate({ to: pageIn(to), replace: true });
    },
  });
  const submit = (): void => entering.mutate(() => signIn(email, password));
  return (
    <EntryFrame title={words.signIn} about={words.signInAbout}>
      {entering.error !== null && <Problem error={entering.error} />}
      <CheckedForm submit={submit}>
        {(faultOf) => (
          <>
            <TextInput
              label={words.email}
              type="email"
              name="email"
              error={faultOf("email")}
              autoComplete="username webauthn"
              required
              value={email}
              onChange={({ currentTarget }) => setEmail(currentTarget.value)}
            />
            <PasswordInput
              mt="sm"
              label={words.password}
              name="password"
              error={faultOf("password")}
              autoComplete="current-password"
              required
              value={password}
              onChange={({ currentTarget }) => setPassword(currentTarget.value)}
            />
            <Button type="submit" fullWidth mt="md" loading={entering.isPending}>
              {words.signIn}
            </Button>
          </>
        )}
      </CheckedForm>
      {hasPasskeys() && (
        <>
          <Divider label={words.or} />
          <Button variant="default" fullWidth onClick={() => entering.mutate(signInWithPasskey)}>
            {words.withPasskey}
          </Button>
        </>
      )}
      <Text size="sm" c="dimmed">
        {words.lost}
      </Text>
    </EntryFrame>
  );
}

import { Alert, Button, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { Answer } from "@tidings/client";
import { useState } from "react";
import { clientAt, isRefused, ORGANIZATION } from "../platform/client.ts";
import { signIn } from "../platform/sign-in.ts";
import { NewPassword } from "../ui/dialogs/new-password.tsx";
import { CheckedForm } from "../ui/form/checked-form.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { Problem } from "../ui/problem.tsx";
import { EntryFrame } from "./entry-frame.tsx";
import { words } from "./words.ts";

type Link = Answer<"readLink">;

/** The secret of the link that was opened. It leaves the address, so that no history or screenshot has it. */
function takeToken(): string {
  const token = location.hash.slice(1);
  if (token !== "") history.replaceState(history.state, "", location.pathname);
  return token;
}

const isHere = ({ kind, name }: Link): boolean => kind === "invitation" && name !== null;

function titleOf({ kind }: Link): string {
  return { first: words.welcome, invitation: words.join, password: words.setPassword }[kind];
}

function aboutOf(link: Link): string {
  const { kind, email, madeBy, role, projects } = link;
  if (kind === "first") return words.welcomeAbout;
  if (kind === "password") return words.setPasswordAbout(email ?? "");
  return words.joinAbout(madeBy, role ?? "", projects === null ? words.everything : projects.join(", "));
}

function buttonOf(link: Link): string {
  if (link.kind === "password") return words.set;
  return isHere(link) ? words.accept : words.make;
}

function LinkForm({ link, token }: { link: Link; token: string }) {
  const [name, setName] = useState("");
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const navigate = useNavigate();
  const queries = useQueryClient();
  const isNew = link.name === null;
  const asksPassword = isNew || link.kind === "password";
  const using = useMutation({
    async mutationFn() {
      const given = {
        ...(isNew && { name }),
        ...(link.kind === "first" && { email }),
        ...(asksPassword && { password }),
      };
      const used = await clientAt(ORGANIZATION).useLink({ body: { token, ...given } });
      if (asksPassword) await signIn(used.email, password);
    },
    async onSuccess() {
      queries.clear();
      await navigate({ to: asksPassword ? "/" : "/sign-in", replace: true });
    },
  });
  const submit = (): void => using.mutate();
  return (
    <EntryFrame title={titleOf(link)} about={aboutOf(link)}>
      {using.error !== null && <Problem error={using.error} />}
      <CheckedForm submit={submit}>
        {(faultOf) => (
          <>
            {isHere(link) && <Alert>{words.already(link.email ?? "")}</Alert>}
            {isNew && (
              <TextInput
                label={words.name}
                name="name"
                error={faultOf("name")}
                autoComplete="name"
                required
                maxLength={80}
                value={name}
                onChange={({ currentTarget }) => setName(currentTarget.value)}
              />
            )}
            {(isNew || link.kind === "password") && (
              <TextInput
                mt="sm"
                label={words.email}
                type="email"
                name="email"
                error={faultOf("email")}
                autoComplete="username"
                required
                readOnly={link.kind !== "first"}
                value={link.email ?? email}
                onChange={({ currentTarget }) => setEmail(currentTarget.value)}
              />
            )}
            {asksPassword && (
              <NewPassword
                mt="sm"
                description={words.passwordRule}
                name="password"
                error={faultOf("password")}
                value={password}
                change={setPassword}
              />
            )}
            <Button type="submit" fullWidth mt="md" loading={using.isPending}>
              {buttonOf(link)}
            </Button>
          </>
        )}
      </CheckedForm>
    </EntryFrame>
  );
}

/** Where a link leads: to the first account, to one for an invited person, or to a new password. */
export function LinkPage() {
  const [token] = useState(takeToken);
  const reading = useQuery({
    queryKey: ["link", token],
    queryFn: () => clientAt(ORGANIZATION).readLink({ body: { token } }),
    enabled: token !== "",
    // A link that was used is gone: what was read of it stays until the page is left.
    refetchInterval: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (token === "" || isRefused(reading.error, 404) || isRefused(reading.error, 400))
    return <EntryFrame title={words.linkGone} about={words.linkGoneAbout} />;
  if (reading.data === undefined)
    return (
      <EntryFrame title={words.tidings}>
        <Loaded query={reading}>{() => null}</Loaded>
      </EntryFrame>
    );
  return <LinkForm link={reading.data} token={token} />;
}

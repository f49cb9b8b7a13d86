import { TidingsError } from "@tidings/client";

/** The paths of the sign-in, which answer with cookies. */
const PATH = "/api/people/auth";

async function send(method: "GET" | "POST", path: string, body?: unknown): Promise<unknown> {
  const response = await fetch(PATH + path, {
    method,
    ...(body === undefined
      ? {}
      : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const answer: unknown = text === "" ? null : JSON.parse(text);
  if (!response.ok) throw new TidingsError(response.status, answer, response.headers);
  return answer;
}

export async function signIn(email: string, password: string): Promise<void> {
  await send("POST", "/sign-in/email", { email, password });
}

export async function signOut(): Promise<void> {
  await send("POST", "/sign-out", {});
}

/** Prolongs the session, once a day: only this answer brings a new cookie. */
export async function prolongSession(): Promise<void> {
  await send("GET", "/get-session");
}

/** Changes the password, and ends the sessions elsewhere. Passkeys are removed unless they are kept. */
export async function changePassword(
  currentPassword: string,
  newPassword: string,
  keepPasskeys: boolean,
): Promise<void> {
  await send("POST", "/change-password", { currentPassword, newPassword, keepPasskeys });
}

/** Whether this browser can make and use passkeys. */
export const hasPasskeys = (): boolean =>
  typeof PublicKeyCredential === "function" && "parseCreationOptionsFromJSON" in PublicKeyCredential;

export async function makePasskey(name: string): Promise<void> {
  const query = new URLSearchParams({ name });
  const options = await send("GET", `/passkey/generate-register-options?${query}`);
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
    options as PublicKeyCredentialCreationOptionsJSON,
  );
  const made = (await navigator.credentials.create({ publicKey })) as PublicKeyCredential | null;
  if (made === null) throw new Error("No passkey was made.");
  await send("POST", "/passkey/verify-registration", { response: made.toJSON(), name });
}

export async function signInWithPasskey(): Promise<void> {
  const options = await send("GET", "/passkey/generate-authenticate-options");
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(
    options as PublicKeyCredentialRequestOptionsJSON,
  );
  const used = (await navigator.credentials.get({ publicKey })) as PublicKeyCredential | null;
  if (used === null) throw new Error("No passkey was chosen.");
  await send("POST", "/passkey/verify-authentication", { response: used.toJSON() });
}

export type Passkey = { id: string; name: string | null; createdAt: string | null };

export async function listPasskeys(): Promise<Passkey[]> {
  return (await send("GET", "/passkey/list-user-passkeys")) as Passkey[];
}

export async function deletePasskey(id: string): Promise<void> {
  await send("POST", "/passkey/delete-passkey", { id });
}

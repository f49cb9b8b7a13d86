/** 127.0.0.0/8, ::1 and their name: what is sent there does not leave the computer. */
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** Why an address cannot be that of a model, to be read after its name; null where it can. */
export function endpointFault(text: string): string | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null) return "must be an absolute URL";
  if (url.username !== "" || url.password !== "") return "must not contain a user or password";
  if (url.hash !== "") return "must not have a fragment";
  if (url.protocol === "https:") return null;
  if (url.protocol === "http:" && LOOPBACK.test(url.hostname)) return null;
  return "must be https://, or http:// on this computer";
}

/** Where chat completions are asked for: below the address, with its query. */
export function completionsUrl(base: string): string {
  const url = new URL(base);
  url.pathname = `${url.pathname.replace(/\/+$/, "")}/chat/completions`;
  return url.href;
}

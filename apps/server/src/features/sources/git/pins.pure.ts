import type { Addresses } from "../../../platform/net/public-host.ts";

/** Whether a plain host is an address. */
const isAddress = (host: string): boolean => host.includes(":") || /^\d+(\.\d+){3}$/.test(host);

const portOf = (url: URL): string => url.port || (url.protocol === "http:" ? "80" : "443");

/**
 * The setting with which git has curl connect to addresses that were looked at, whatever DNS says by then (CURLOPT_RESOLVE: `host:port:address`,
 * several with commas, those of IPv6 in brackets). None for a host that is an address: curl looks up none.
 */
export function curlPin(url: string, host: string, addresses: Addresses): Record<string, string> {
  if (isAddress(host)) return {};
  const all = addresses.map(({ address, family }) => (family === 6 ? `[${address}]` : address));
  return { "http.curloptResolve": `${host}:${portOf(new URL(url))}:${all.join(",")}` };
}

/**
 * The options with which ssh connects to an address that was looked at, as the end of a command line. The keys of the host are still those of
 * its name. None for a host that is an address.
 */
export function sshPin(url: string, host: string, [{ address }]: Addresses): string {
  if (isAddress(host)) return "";
  const port = URL.canParse(url) ? new URL(url).port : "";
  const known = port === "" || port === "22" ? host : `[${host}]:${port}`;
  return ` -o HostName=${address} -o 'HostKeyAlias=${known}' -o CheckHostIP=no`;
}

import { createSocket, type RemoteInfo } from "node:dgram";
import { once } from "node:events";
import { isIPv4 } from "node:net";

/**
 * What a name has: TXT records, each of one or more strings; `[]`, a name without TXT; addresses, those of IPv6 with all of their eight parts;
 * `silent`, no answer ever; `broken`, SERVFAIL.
 */
export type Zone = Map<string, string[][] | { addresses: string[] } | "silent" | "broken">;

/** A DNS server on loopback (RFC 1035) that answers questions for TXT and addresses from a zone, which may change; names that it lacks do not exist. */
export type DnsServer = { address: string; zone: Zone; queries: string[]; close(): Promise<void> };

const TYPE_A = 1;
const TYPE_TXT = 16;
const TYPE_AAAA = 28;
const NO_ERROR = 0;
const SERVER_FAILURE = 2;
const NAME_ERROR = 3;

/** Name, type and end of the first question: labels, each behind its length, up to an empty one (RFC 1035, 4.1.2). */
function question(message: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join(".").toLowerCase(), type: message.readUInt16BE(at + 1), end: at + 5 };
}

/** The strings of a TXT record, each behind its length. */
const textData = (strings: readonly string[]): Buffer =>
  Buffer.concat(strings.flatMap((text) => [Buffer.of(Buffer.byteLength(text)), Buffer.from(text)]));

const addressData = (address: string): Buffer =>
  isIPv4(address)
    ? Buffer.from(address.split(".").map(Number))
    : Buffer.from(
        address
          .split(":")
          .map((part) => part.padStart(4, "0"))
          .join(""),
        "hex",
      );

function record(type: number, data: Buffer): Buffer {
  const head = Buffer.alloc(12);
  head.writeUInt16BE(0xc00c, 0); // The name of the question.
  head.writeUInt16BE(type, 2);
  head.writeUInt16BE(1, 4); // Internet.
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}

function recordsOf(entry: ReturnType<Zone["get"]>, type: number): Buffer[] {
  if (Array.isArray(entry))
    return type === TYPE_TXT ? entry.map((strings) => record(TYPE_TXT, textData(strings))) : [];
  if (typeof entry !== "object") return [];
  return entry.addresses
    .filter((address) => type === (isIPv4(address) ? TYPE_A : TYPE_AAAA))
    .map((address) => record(type, addressData(address)));
}

function answer(message: Buffer, end: number, status: number, records: readonly Buffer[]): Buffer {
  const head = Buffer.from(message.subarray(0, 12));
  head.writeUInt16BE(0x8180 | status, 2); // An answer; recursion was wanted, and is there.
  head.writeUInt16BE(records.length, 6);
  head.writeUInt32BE(0, 8);
  return Buffer.concat([head, message.subarray(12, end), ...records]);
}

export async function startDnsServer(): Promise<DnsServer> {
  const zone: Zone = new Map();
  const queries: string[] = [];
  const socket = createSocket("udp4");
  socket.on("message", (message: Buffer, from: RemoteInfo) => {
    const { name, type, end } = question(message);
    queries.push(name);
    const entry = zone.get(name);
    if (entry === "silent") return;
    const status = entry === undefined ? NAME_ERROR : entry === "broken" ? SERVER_FAILURE : NO_ERROR;
    const records = recordsOf(entry, type);
    socket.send(answer(message, end, status, records), from.port, from.address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  return {
    address: `127.0.0.1:${socket.address().port}`,
    zone,
    queries,
    close: () => new Promise((resolve) => socket.close(resolve)),
  };
}

import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";

const END = Buffer.from("\r\n.\r\n");

export type SinkOptions = {
  /** Whether an address is refused as one that does not exist. */
  refuses?: (to: string) => boolean;
  /** Called with every message before it is acknowledged. */
  takes: (to: string, message: Buffer) => void;
};

/** One conversation: as little work as the protocol allows, so that the server is not what is measured. */
function serve(socket: Socket, { refuses, takes }: SinkOptions): void {
  let rest: Buffer = Buffer.alloc(0);
  let inData = false;
  let to = "";
  socket.on("error", () => undefined);
  socket.write("220 sink ESMTP\r\n");

  const answerTo = (line: string): string => {
    const command = line.slice(0, 4).toUpperCase();
    if (command === "EHLO") return "250-sink\r\n250-PIPELINING\r\n250-8BITMIME\r\n250 SIZE 10485760\r\n";
    if (command === "QUIT") return "221 bye\r\n";
    if (command === "RCPT") {
      to = line.slice(line.indexOf("<") + 1, line.indexOf(">"));
      if (refuses?.(to) === true) {
        to = "";
        return "550 5.1.1 no such user\r\n";
      }
    }
    if (command === "DATA") {
      if (to === "") return "503 5.5.1 nobody to send to\r\n";
      inData = true;
      return "354 go on\r\n";
    }
    if (command === "MAIL" || command === "RSET") to = "";
    return "250 2.0.0 fine\r\n";
  };

  socket.on("data", (chunk: Buffer) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let answer = "";
    for (;;) {
      const end = rest.indexOf(inData ? END : "\r\n");
      if (end === -1) break;
      if (inData) {
        takes(to, rest.subarray(0, end));
        answer += "250 2.0.0 taken\r\n";
        inData = false;
        rest = rest.subarray(end + END.length);
      } else {
        answer += answerTo(rest.toString("latin1", 0, end));
        rest = rest.subarray(end + 2);
      }
    }
    if (answer !== "") socket.write(answer);
  });
}

/** A mail server on loopback that takes everything it does not refuse. */
export async function startSink(options: SinkOptions): Promise<{ port: number; server: Server }> {
  const server = createServer({ noDelay: true }, (socket) => serve(socket, options));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { port: (server.address() as AddressInfo).port, server };
}

import { once } from "node:events";
import type { AddressInfo, Socket } from "node:net";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";

/** A message as a mail server took it. */
export type Taken = { from: string; to: string; raw: Buffer };

/** What a server does instead of taking a message; null takes it. `drop` closes the connection without a word. */
type Answer = { code: number; text: string } | "drop" | null;

export type SmtpBehaviour = {
  onSender?: (from: string) => Answer;
  onRecipient?: (to: string) => Answer | Promise<Answer>;
  /** Before `drop` or a refusal, the whole message has been read; `take` says whether it is kept all the same. */
  onMessage?: (message: Taken) => Answer | Promise<Answer>;
  /** Ends every connection after one message. */
  oneMessagePerConnection?: boolean;
  options?: SMTPServerOptions;
};

/** A real mail server on loopback. */
export type SmtpPeer = {
  port: number;
  /** In the order in which they were taken. */
  taken: Taken[];
  /** Connections so far. */
  connections(): number;
  behave(next: SmtpBehaviour): void;
  close(): Promise<void>;
};

const refusal = ({ code, text }: { code: number; text: string }): Error =>
  Object.assign(new Error(text), { responseCode: code });

/** Starts a mail server that takes everything, unless its behaviour says otherwise. */
export async function startSmtp(behaviour: SmtpBehaviour = {}): Promise<SmtpPeer> {
  let current = behaviour;
  let connections = 0;
  const taken: Taken[] = [];
  const server = new SMTPServer({
    authOptional: true,
    // Idle connections of the sender are cut when a test is over.
    closeTimeout: 1,
    disabledCommands: ["STARTTLS"],
    disableReverseLookup: true,
    logger: false,
    ...behaviour.options,
    onConnect(_session, done) {
      connections++;
      done();
    },
    onMailFrom({ address }, session, done) {
      answer(session.id, current.onSender?.(address) ?? null, done);
    },
    async onRcptTo({ address }, session, done) {
      answer(session.id, (await current.onRecipient?.(address)) ?? null, done);
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", async () => {
        const { mailFrom, rcptTo } = session.envelope;
        const message = {
          from: mailFrom === false ? "" : mailFrom.address,
          to: rcptTo[0]?.address ?? "",
          raw: Buffer.concat(chunks),
        };
        const verdict = (await current.onMessage?.(message)) ?? null;
        if (verdict === null) taken.push(message);
        answer(session.id, verdict, done);
        if (current.oneMessagePerConnection) setImmediate(() => socketOf(session.id)?.end());
      });
    },
  });

  function socketOf(id: string): Socket | undefined {
    for (const connection of server.connections)
      if (connection.session.id === id) return connection._socket as Socket;
    return undefined;
  }
  function answer(id: string, verdict: Answer, done: (error?: Error | null) => void): void {
    if (verdict === "drop") socketOf(id)?.destroy();
    else done(verdict === null ? null : refusal(verdict));
  }

  server.on("error", () => undefined);
  // A test that fails before it closes its server ends all the same.
  server.server.unref();
  server.server.on("connection", (socket: Socket) => socket.unref());
  server.listen(0, "127.0.0.1");
  await once(server.server, "listening");
  return {
    port: (server.server.address() as AddressInfo).port,
    taken,
    connections: () => connections,
    behave(next) {
      current = next;
    },
    async close() {
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

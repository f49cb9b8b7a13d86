import { isIP } from "node:net";
import { Readable, Transform } from "node:stream";
import { beginningOf } from "@tidings/client/text";
import SMTPConnection from "nodemailer/lib/smtp-connection";
import type { FindAddresses } from "../../../platform/net/public-host.ts";
import type { SmtpServer } from "../../../platform/net/smtp-url.ts";
import type { Envelope, MailReply, RefusalStage, Transport } from "./reply.pure.ts";

type SmtpError = NonNullable<Parameters<Parameters<SMTPConnection["send"]>[2]>[0]>;

const CONNECT_MS = 20_000;
/** A server may take its time to answer (RFC 5321, 4.5.3.2 would grant ten minutes); what takes longer counts as unknown. */
export const ANSWER_MS = 120_000;
/** Many servers limit the messages of a connection, so it is closed after this many. */
const MESSAGES_PER_CONNECTION = 1_000;
const IDLE_MS = 10_000;
const MAX_RESPONSE = 500;

/** What a message must not have on the wire (RFC 5321, 2.3.8 and 4.5.2): a line that begins with a dot, CR or LF alone. */
const UNFIT = /\r(?!\n(?!\.))|(?<!\r)\n/;

function isFitForWire(raw: Buffer): boolean {
  const text = raw.toString("latin1");
  return text.endsWith("\r\n") && !text.startsWith(".") && !UNFIT.test(text);
}

const END = Buffer.from(".\r\n");

/** The bytes of a message. `begun`: the server has begun to read them. */
class HandedOver extends Readable {
  readonly #raw: Buffer;
  begun = false;

  constructor(raw: Buffer) {
    super();
    this.#raw = raw;
  }

  /**
   * The library's stream looks at each byte for what it has to change, and sends the end by itself. Where a search finds nothing, as in
   * all that is composed here, it lets the message pass, with its end in the same write.
   */
  override pipe<To extends NodeJS.WritableStream>(to: To): To {
    this.begun = true;
    if (to instanceof Transform && isFitForWire(this.#raw)) {
      to._transform = (chunk, _encoding, done) => done(null, chunk);
      to._flush = (done) => done();
      to.end(Buffer.concat([this.#raw, END]));
    } else to.end(this.#raw);
    return to;
  }
}

const STAGES: Readonly<Record<string, RefusalStage>> = {
  "MAIL FROM": "sender",
  "RCPT TO": "recipient",
  DATA: "message",
};

/** What an error of the conversation means for the message. @param begun whether the server had begun to read it */
function replyOf(error: SmtpError, begun: boolean): MailReply {
  const code = error.responseCode ?? null;
  const response = beginningOf(error.response ?? error.message, MAX_RESPONSE);
  if (code === null && begun) return { kind: "unknown", code, response };
  const stage = (code === null ? undefined : STAGES[error.command ?? ""]) ?? "connection";
  return { kind: error.permanent === true ? "rejected" : "deferred", stage, code, response };
}

/** With a login, a connection that begins without TLS must switch to it, so that the password is encrypted; not to localhost. */
const needsTls = ({ secure, login, host }: SmtpServer): boolean =>
  !secure && login !== null && !/^(localhost|127(\.\d+){3}|::1)$/.test(host);

type Open = { connection: SMTPConnection; sent: number; isUsable: boolean; idle: NodeJS.Timeout | null };

/** Opens a connection: TLS and a login where they are due. @param address of the host; null where nodemailer looks for it */
function connectTo(server: SmtpServer, name: string, address: string | null): Promise<Open> {
  const connection = new SMTPConnection({
    host: address ?? server.host,
    ...(isIP(server.host) === 0 ? { servername: server.host } : {}),
    port: server.port,
    secure: server.secure,
    requireTLS: needsTls(server),
    name,
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    dnsTimeout: CONNECT_MS,
    socketTimeout: ANSWER_MS,
  });
  const open: Open = { connection, sent: 0, isUsable: false, idle: null };
  return new Promise((resolve, reject) => {
    const fail = (error: Error): void => {
      open.isUsable = false;
      // Reject before closing: closing emits an end event, and the first error is the one to report.
      reject(error);
      connection.close();
    };
    connection.on("error", fail);
    connection.on("end", () => fail(new Error("The server closed the connection.")));
    const ready = (error?: Error | null): void => {
      if (error) fail(error);
      else {
        open.isUsable = true;
        resolve(open);
      }
    };
    connection.connect((error) => {
      if (error || server.login === null) ready(error);
      else connection.login({ user: server.login.user, pass: server.login.password }, ready);
    });
  });
}

/** Opens a connection to the first address of the server that answers. */
async function connect(server: SmtpServer, name: string, find: FindAddresses | null): Promise<Open> {
  if (find === null) return connectTo(server, name, null);
  const [first, ...others] = await find(server.host);
  let address = first.address;
  for (;;) {
    try {
      return await connectTo(server, name, address);
    } catch (error) {
      const next = others.shift();
      // A server that answered and refused would refuse at its other addresses too.
      if (next === undefined || (error as SmtpError).responseCode !== undefined) throw error;
      address = next.address;
    }
  }
}

/** Sends one message. Null where the server had already closed the connection: the message is then sent on another one. */
function converse(open: Open, envelope: Envelope, raw: Buffer): Promise<MailReply | null> {
  const message = new HandedOver(raw);
  const wasUsed = open.sent > 0;
  open.sent++;
  return new Promise((resolve) => {
    open.connection.send(
      { from: envelope.from, to: envelope.to, size: raw.length },
      message,
      (error, info) => {
        if (error === null)
          return resolve({ kind: "accepted", code: 250, response: beginningOf(info.response, MAX_RESPONSE) });
        const reply = replyOf(error, message.begun);
        const isOver = error.responseCode === undefined || error.responseCode === 421;
        if (isOver) open.isUsable = false;
        if (wasUsed && !message.begun && isOver) return resolve(null);
        if (isOver) return resolve(reply);
        // RSET clears what the refused message left behind, before the next message.
        open.connection.reset((fault) => {
          if (fault) open.isUsable = false;
          resolve(reply);
        });
      },
    );
  });
}

/**
 * Connections to one server, each with one message after the other; opened when they are needed.
 * @param name for EHLO
 * @param find where the server may be reached, for each connection; null for wherever its name leads
 */
export function openSmtp(server: SmtpServer, name: string, find: FindAddresses | null = null): Transport {
  const idle: Open[] = [];
  const waiting: (() => void)[] = [];
  let busy = 0;
  let isClosed = false;

  /** Waits for its turn where all of the server's connections are busy. */
  const enter = async (): Promise<void> => {
    if (busy < server.connections) busy++;
    else await new Promise<void>((resolve) => waiting.push(resolve));
  };
  const exit = (): void => {
    const next = waiting.shift();
    if (next === undefined) busy--;
    else next();
  };

  const leave = (open: Open): void => {
    if (open.idle !== null) clearTimeout(open.idle);
    if (open.isUsable) open.connection.quit();
    else open.connection.close();
    open.isUsable = false;
  };
  const release = (open: Open): void => {
    if (!open.isUsable || isClosed || open.sent >= MESSAGES_PER_CONNECTION) {
      leave(open);
      return;
    }
    open.idle = setTimeout(() => {
      idle.splice(idle.indexOf(open), 1);
      leave(open);
    }, IDLE_MS).unref();
    idle.push(open);
  };
  const take = async (): Promise<Open> => {
    for (let open = idle.pop(); open !== undefined; open = idle.pop()) {
      if (open.idle !== null) clearTimeout(open.idle);
      if (open.isUsable) return open;
    }
    return connect(server, name, find);
  };

  async function send(envelope: Envelope, raw: Buffer): Promise<MailReply> {
    for (;;) {
      let open: Open;
      try {
        open = await take();
      } catch (error) {
        // What the server refuses is the connection, not the message.
        const { code, response } = replyOf(error as SmtpError, false);
        return { kind: "deferred", stage: "connection", code, response };
      }
      const reply = await converse(open, envelope, raw);
      release(open);
      if (reply !== null) return reply;
    }
  }

  return {
    connections: server.connections,
    async send(envelope, raw) {
      await enter();
      try {
        return await send(envelope, raw);
      } finally {
        exit();
      }
    },
    close() {
      isClosed = true;
      for (const open of idle.splice(0)) leave(open);
    },
  };
}

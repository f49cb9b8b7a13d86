import * as http from "node:http";
import * as https from "node:https";

export type HttpAnswer = { status: number; headers: http.IncomingHttpHeaders; body: Buffer };

/** `mostBytes` of the answer's body: of a longer one nothing is answered. `body` is that of the request. */
type HttpRequest = http.RequestOptions & { mostBytes: number; body?: Buffer };

/** Sends one request and reads the whole answer; follows no redirect. `lookup` says where its connection may go. */
export function sendRequest(url: URL, { mostBytes, body, ...options }: HttpRequest): Promise<HttpAnswer> {
  const { request } = url.protocol === "https:" ? https : http;
  return new Promise((resolve, reject) => {
    const sent = request(url, options, (answer) => {
      const parts: Buffer[] = [];
      let bytes = 0;
      answer.on("data", (part: Buffer) => {
        bytes += part.length;
        if (bytes > mostBytes) answer.destroy(new Error("It answers with too much."));
        else parts.push(part);
      });
      answer.on("error", reject);
      answer.on("end", () =>
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(parts) }),
      );
    });
    sent.on("error", reject);
    // A server that would speak something else instead (101), and whatever ends a request in another way, must not leave its caller waiting.
    sent.on("upgrade", (_answer, socket) => socket.destroy());
    sent.on("close", () => reject(new Error("The connection was closed before the answer was whole.")));
    sent.end(body);
  });
}

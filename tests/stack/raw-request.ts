import { connect } from "node:net";

/** Sends these bytes (latin-1) to a port of this machine, and returns all bytes that come back until no more arrive. */
export function sendRaw(port: number, bytes: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
    let answer = "";
    const done = () => {
      socket.destroy();
      resolve(answer);
    };
    socket.setEncoding("latin1");
    socket.on("data", (chunk) => {
      answer += chunk;
    });
    socket.on("end", done).on("close", done).on("error", done);
    socket.setTimeout(5_000, done);
    socket.write(bytes, "latin1");
  });
}

/** Returns the parts of the first HTTP answer in the bytes from sendRaw; status 0 when there is no answer. */
export function readRaw(answer: string): { status: number; head: string; body: string } {
  const [head = "", ...rest] = answer.split("\r\n\r\n");
  return { status: Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 0), head, body: rest.join("\r\n\r\n") };
}

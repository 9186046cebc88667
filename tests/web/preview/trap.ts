import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, createServer as createTcpServer } from "node:net";

/** Servers on loopback that nobody may reach, and a record of who reached them. */
export interface Trap {
  base: string;
  udp: string;
  /** The address for attacks that need only a connection. */
  tcp: string;
  /** Names of the attacks that arrived; `stun` for a packet of a peer connection, `connection` for a connection without a request. */
  caught: Set<string>;
  stop(): void;
}

export async function openTrap(): Promise<Trap> {
  const caught = new Set<string>();
  const web = createServer((request, response) => {
    caught.add(decodeURIComponent(request.url?.split(/[/?]/)[1] ?? ""));
    response.writeHead(200, { "access-control-allow-origin": "*" }).end();
  });
  web.on("upgrade", (request, socket) => {
    caught.add(decodeURIComponent(request.url?.slice(1) ?? ""));
    socket.destroy();
  });
  const socket = createSocket("udp4", () => caught.add("stun"));
  const bare = createTcpServer((connection) => {
    caught.add("connection");
    connection.destroy();
  });
  bare.listen(0, "127.0.0.1");
  web.listen(0, "127.0.0.1");
  socket.bind(0, "127.0.0.1");
  await Promise.all([once(web, "listening"), once(bare, "listening"), once(socket, "listening")]);
  return {
    base: `http://127.0.0.1:${(web.address() as AddressInfo).port}`,
    udp: `127.0.0.1:${socket.address().port}`,
    tcp: `http://127.0.0.1:${(bare.address() as AddressInfo).port}`,
    caught,
    stop: () => {
      web.close();
      web.closeAllConnections();
      socket.close();
      bare.close();
    },
  };
}

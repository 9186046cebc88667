import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** Servers on loopback that nobody is meant to reach, and who reached them. */
export interface Trap {
  base: string;
  udp: string;
  /** Names of the attacks that arrived; `stun` for a packet of a peer connection. */
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
  web.listen(0, "127.0.0.1");
  socket.bind(0, "127.0.0.1");
  await Promise.all([once(web, "listening"), once(socket, "listening")]);
  return {
    base: `http://127.0.0.1:${(web.address() as AddressInfo).port}`,
    udp: `127.0.0.1:${socket.address().port}`,
    caught,
    stop: () => {
      web.close();
      web.closeAllConnections();
      socket.close();
    },
  };
}

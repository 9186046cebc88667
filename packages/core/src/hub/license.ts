export const LICENSES = ["platform-free", "cc0", "cc-by", "paid"] as const;
export type License = (typeof LICENSES)[number];

/** A work inside a publication: its license, and whether the publisher made it. */
export interface LicensedSource {
  license: License;
  own: boolean;
}

/** Licenses from the least strict to the strictest. */
const STRICTNESS: readonly License[] = ["cc0", "cc-by", "platform-free", "paid"];

/** The licenses under which others may publish a work that has the given license. */
const ALLOWED_LICENSES: Record<License, readonly License[]> = {
  cc0: ["cc0", "cc-by", "platform-free", "paid"],
  "cc-by": ["cc-by", "platform-free"],
  "platform-free": ["platform-free"],
  paid: [],
};

/**
 * Returns why a work that contains `sources` may not be published under `wanted`, or null when it may. Only works by others restrict the
 * license: nobody may publish another creator's paid work, and only cc0 works of others may be part of a paid one.
 */
export function licenseProblem(
  wanted: License,
  sources: readonly LicensedSource[],
): "license_incompatible" | null {
  const fits = sources.every(({ license, own }) => own || ALLOWED_LICENSES[license].includes(wanted));
  return fits ? null : "license_incompatible";
}

/** Returns whether `license` is at least as strict as `other`. */
export function isAsStrict(license: License, other: License): boolean {
  return STRICTNESS.indexOf(license) >= STRICTNESS.indexOf(other);
}

/** Returns the strictest of several licenses; for an empty list, `cc0`, the least strict one. */
export function strictest(licenses: readonly License[]): License {
  return licenses.reduce<License>((one, other) => (isAsStrict(one, other) ? one : other), "cc0");
}

/** Returns whether a license requires that the creator is named. */
export function requiresAttribution(license: License): boolean {
  return license === "cc-by" || license === "paid";
}

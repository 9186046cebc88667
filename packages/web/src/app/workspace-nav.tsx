import { useEffect, useState } from "preact/hooks";
import { member } from "./session.ts";

const PAGES = {
  items: ["/workspace", "My items"],
  listings: ["/workspace/listings", "My listings"],
  keys: ["/workspace/keys", "Keys"],
  stars: ["/workspace/stars", "Starred"],
  following: ["/workspace/following", "Following"],
  organizations: ["/workspace/organizations", "Organizations"],
  purchases: ["/workspace/purchases", "Purchases"],
  revenue: ["/workspace/revenue", "Revenue"],
  profile: ["/workspace/profile", "Profile"],
  admin: ["/admin", "Review queue"],
} as const;

/** Shows the links between the pages of a workspace. Only admins see the link to the review queue. */
export function WorkspaceNav({ at }: { at: keyof typeof PAGES }) {
  const [isAdmin, setAdmin] = useState(false);
  const [isBanned, setBanned] = useState(false);
  useEffect(() => {
    member()
      .then((known) => known?.hub.moderation.isAdmin() ?? false)
      // If the hub does not answer, the navigation stays that of an ordinary member.
      .then(setAdmin, () => {});
    member()
      .then(async (known) => (await known?.hub.decisions()) ?? [])
      .then((taken) => setBanned(taken.some(({ action, in_force }) => action === "banned" && in_force)))
      .catch(() => {});
  }, []);
  return (
    <>
      <nav class="sections" aria-label="Workspace">
        {Object.entries(PAGES)
          .filter(([name]) => name !== "admin" || isAdmin)
          .map(([name, [href, text]]) => (
            <a key={name} href={href} aria-current={name === at ? "page" : undefined}>
              {text}
            </a>
          ))}
      </nav>
      {isBanned && (
        <p class="note" role="status">
          Your account is banned: you can read and export, but not change, publish or report anything.{" "}
          {at !== "listings" && <a href="/workspace/listings#decisions">Why, and how to appeal</a>}
        </p>
      )}
    </>
  );
}

interface ForMembersProps {
  title: string;
  back: string;
  why?: string;
}

/** Shows a guest that a page is only for members. */
export function ForMembers({ title, back, why = "Sign in to see them." }: ForMembersProps) {
  return (
    <div class="empty">
      <h1>{title}</h1>
      <p>{why}</p>
      <a class="button primary" href={`/login?returnTo=${encodeURIComponent(back)}`}>
        Sign in
      </a>
    </div>
  );
}

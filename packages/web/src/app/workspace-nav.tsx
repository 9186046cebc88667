const PAGES = {
  items: ["/workspace", "My items"],
  listings: ["/workspace/listings", "My listings"],
  stars: ["/workspace/stars", "Starred"],
  profile: ["/workspace/profile", "Profile"],
} as const;

/** The ways between the pages of a workspace. */
export function WorkspaceNav({ at }: { at: keyof typeof PAGES }) {
  return (
    <nav class="sections" aria-label="Workspace">
      {Object.entries(PAGES).map(([name, [href, text]]) => (
        <a key={name} href={href} aria-current={name === at ? "page" : undefined}>
          {text}
        </a>
      ))}
    </nav>
  );
}

interface ForMembersProps {
  title: string;
  back: string;
  why?: string;
}

/** What a guest sees on a page of members. */
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

import type { OwnOrganizations } from "@keyhub/hub/source";
import type { ComponentChildren } from "preact";
import { useCallback, useEffect, useState } from "preact/hooks";
import { shelfPath } from "../../data/addresses.ts";
import { counted } from "../../parts/format.ts";
import { FailureNote } from "../failure-note.tsx";
import { type ShownFailure, shownFailureOf } from "../failure-text.ts";
import { loginPath, type SignedIn } from "../session.ts";
import { Skeleton } from "../skeleton.tsx";
import { useViewer, type Viewer } from "../use-viewer.ts";

export type OwnOrganization = OwnOrganizations[number];

/** The data that a page of an organization needs. */
export interface Scene {
  viewer: Viewer;
  member: SignedIn;
  organization: OwnOrganization;
  /** Reads the organization again. */
  reload: () => Promise<void>;
}

interface PageProps {
  /** The short name or the id of the organization, from the address of the page. */
  slug: string;
  at?: "shelf" | "members" | "reported";
  children: (scene: Scene) => ComponentChildren;
}

/** Shows the frame of an organization's pages: for members its name and navigation, for everybody else one sentence. */
export function OrganizationPage({ slug, at, children }: PageProps) {
  const viewer = useViewer();
  const [organization, setOrganization] = useState<OwnOrganization | null | undefined>();
  const [failure, setFailure] = useState<ShownFailure | null>(null);
  const member = viewer?.member;

  const load = useCallback(async () => {
    if (!member) return;
    setFailure(null);
    try {
      const own = await member.hub.organizations.mine();
      const wanted = slug.toLowerCase();
      setOrganization(own.find(({ id }) => id === wanted) ?? own.find((one) => one.slug === wanted) ?? null);
    } catch (error) {
      setFailure(await shownFailureOf(error));
    }
  }, [member, slug]);
  useEffect(() => {
    setOrganization(undefined);
    void load();
  }, [load]);

  const name = organization?.name;
  useEffect(() => {
    if (name) document.title = `${name} · Keyhub`;
  }, [name]);

  if (failure)
    return (
      <>
        <h1>Organization</h1>
        <FailureNote failure={failure} onRetry={load} />
      </>
    );
  if (viewer && !member) return <NothingHere isGuest />;
  if (!viewer || !member || organization === undefined) return <Skeleton />;
  if (organization === null) return <NothingHere />;
  return (
    <>
      <OrganizationHead organization={organization} at={at} />
      {children({ viewer, member, organization, reload: load })}
    </>
  );
}

/** Shows the same text for an organization that does not exist and for one that this reader may not see. */
export function NothingHere({ isGuest = false }: { isGuest?: boolean }) {
  return (
    <div class="empty">
      <h1>There is nothing here that you can see</h1>
      <p>
        {isGuest
          ? "Members of an organization sign in to see what it shares."
          : "Only members of an organization see what it shares. Ask them for an invitation."}
      </p>
      {isGuest ? (
        <a class="button primary" href={loginPath(location.pathname + location.search)}>
          Sign in
        </a>
      ) : (
        <a class="button" href="/workspace/organizations">
          My organizations
        </a>
      )}
    </div>
  );
}

const leads = ({ role }: OwnOrganization) => role !== "member";

function OrganizationHead({ organization, at }: { organization: OwnOrganization; at?: PageProps["at"] }) {
  const path = shelfPath(organization.slug);
  const pages: [name: string, href: string, text: string][] = [
    ["shelf", path, "Shelf"],
    ["members", `${path}/members`, "Members"],
  ];
  if (leads(organization)) pages.push(["reported", `${path}/reported`, "Reported"]);
  // The page of a listing has an h1 with the title, so the organization's name is a paragraph there.
  const Name = at ? "h1" : "p";
  return (
    <header class="organization-head">
      <p class="kind">
        <a href="/workspace/organizations">Organizations</a>
      </p>
      <Name class="organization-name" dir="auto">
        {organization.name}
      </Name>
      <p class="quiet">
        {counted(organization.members, "member")} · you are {ROLE_WORDS[organization.role].one}
      </p>
      <nav class="sections" aria-label="Organization">
        {pages.map(([name, href, text]) => (
          <a key={name} href={href} aria-current={name === at ? "page" : undefined}>
            {text}
          </a>
        ))}
      </nav>
    </header>
  );
}

/** The roles, and the permissions of each. */
export const ROLE_WORDS = {
  owner: { one: "an owner", name: "Owner", says: "everything, also roles" },
  admin: { one: "an admin", name: "Admin", says: "invites, removes members, decides about reports" },
  member: { one: "a member", name: "Member", says: "reads and shares" },
} as const satisfies Record<OwnOrganization["role"], { one: string; name: string; says: string }>;

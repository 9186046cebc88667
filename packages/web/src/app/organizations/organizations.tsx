import { HubError, type Organization } from "@keyhub/hub/source";
import { useCallback, useEffect, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { shelfPath } from "../../data/addresses.ts";
import { counted } from "../../parts/format.ts";
import { FailureNote } from "../failure-note.tsx";
import { type ShownFailure, sentence, shownFailureOf } from "../failure-text.ts";
import { Skeleton } from "../skeleton.tsx";
import { useViewer } from "../use-viewer.ts";
import { ForMembers, WorkspaceNav } from "../workspace-nav.tsx";
import { type OwnOrganization, ROLE_WORDS } from "./organization.tsx";

/** Shows the organizations of the caller, and a form for a new one. */
export default function Organizations() {
  const viewer = useViewer();
  const { route } = useLocation();
  const [own, setOwn] = useState<OwnOrganization[] | null>(null);
  const [failure, setFailure] = useState<ShownFailure | null>(null);
  const hub = viewer?.member?.hub;

  const load = useCallback(async () => {
    if (!hub) return;
    setFailure(null);
    try {
      setOwn(await hub.organizations.mine());
    } catch (error) {
      setFailure(await shownFailureOf(error));
    }
  }, [hub]);
  useEffect(() => void load(), [load]);

  return (
    <>
      <WorkspaceNav at="organizations" />
      {viewer && !hub ? (
        <ForMembers
          title="Your organizations"
          back="/workspace/organizations"
          why="Sign in to share items with a team, where nobody else sees them."
        />
      ) : (
        <>
          <h1>Organizations</h1>
          <FailureNote failure={failure} onRetry={load} />
          {!own && !failure && <Skeleton />}
          {own?.length === 0 && (
            <p class="note">
              You belong to none yet. In an organization a team shares prompts, components, pipelines and
              presets that nobody else sees: make one below and invite people by a link, or ask for a link to
              an existing one.
            </p>
          )}
          {own && own.length > 0 && (
            <ul class="shelf">
              {own.map((one) => (
                <li key={one.id}>
                  <a href={shelfPath(one.slug)} dir="auto">
                    {one.name}
                  </a>
                  <span class="quiet">
                    {ROLE_WORDS[one.role].name} · {counted(one.members, "member")}
                  </span>
                </li>
              ))}
            </ul>
          )}
          {hub && own && (
            <section aria-labelledby="new-organization">
              <h2 id="new-organization">New organization</h2>
              <NewOrganization
                create={(name, slug) => hub.organizations.create(name, slug)}
                onMade={({ slug }) => route(`${shelfPath(slug)}/members`)}
              />
            </section>
          )}
        </>
      )}
    </>
  );
}

const SLUG_LENGTH = 40;

/** Proposes a short name for a name: lower-case letters, digits and single hyphens. */
export function proposedSlug(name: string): string {
  return name
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-/, "")
    .slice(0, SLUG_LENGTH)
    .replace(/-$/, "");
}

type Field = "name" | "slug";

interface NewProps {
  create: (name: string, slug: string) => Promise<Organization>;
  onMade: (made: Organization) => void;
}

function NewOrganization({ create, onMade }: NewProps) {
  const [name, setName] = useState("");
  /** The short name that the user has typed; null while it is derived from the name. */
  const [typed, setTyped] = useState<string | null>(null);
  const [faults, setFaults] = useState<Partial<Record<Field, string>>>({});
  const [failure, setFailure] = useState<ShownFailure | null>(null);
  const [busy, setBusy] = useState(false);
  const slug = typed ?? proposedSlug(name);

  async function submit(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    setBusy(true);
    setFaults({});
    setFailure(null);
    try {
      onMade(await create(name, slug.trim().toLowerCase()));
    } catch (error) {
      const found = faultsOf(error);
      setFaults(found);
      const first = (["name", "slug"] as const).find((field) => found[field]);
      if (first) (form.elements.namedItem(first) as HTMLElement | null)?.focus();
      else setFailure(await shownFailureOf(error));
    } finally {
      setBusy(false);
    }
  }

  return (
    <form class="stack form" onSubmit={submit} noValidate>
      <div class="field">
        <label for="organization-name">Name</label>
        <input
          id="organization-name"
          name="name"
          value={name}
          maxLength={80}
          dir="auto"
          autocomplete="organization"
          onInput={({ currentTarget }) => setName(currentTarget.value)}
          aria-invalid={faults.name ? "true" : undefined}
          aria-describedby={faults.name ? "organization-name-fault" : undefined}
        />
        <Fault id="organization-name-fault" text={faults.name} />
      </div>
      <div class="field">
        <label for="organization-slug">Short name</label>
        <input
          id="organization-slug"
          name="slug"
          value={slug}
          maxLength={SLUG_LENGTH}
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
          onInput={({ currentTarget }) => setTyped(currentTarget.value)}
          aria-invalid={faults.slug ? "true" : undefined}
          aria-describedby={
            faults.slug ? "organization-slug-fault organization-slug-hint" : "organization-slug-hint"
          }
        />
        <Fault id="organization-slug-fault" text={faults.slug} />
        <p class="hint" id="organization-slug-hint">
          It is part of the address and cannot be changed: 3 to 40 small letters, digits and single hyphens.
        </p>
      </div>
      <FailureNote failure={failure} />
      <p>
        <button class="primary" type="submit" disabled={busy}>
          Make the organization
        </button>
      </p>
    </form>
  );
}

function Fault({ id, text }: { id: string; text: string | undefined }) {
  if (!text) return null;
  return (
    <p class="fault" id={id} role="alert">
      {text}
    </p>
  );
}

/** Returns the fault of each field as a sentence; an empty object when the refusal is about something else. */
function faultsOf(error: unknown): Partial<Record<Field, string>> {
  if (!(error instanceof HubError)) return {};
  const { problem } = error;
  if (problem.code === "slug_taken") return { slug: sentence(problem) };
  if (problem.code === "mixed_script") return { name: sentence({ ...problem, errors: [] }) };
  return Object.fromEntries(
    problem.errors
      .filter(({ path }) => path === "name" || path === "slug")
      .map(({ path, message }) => [path, `It ${message}.`]),
  );
}

import type { Hub, Member as MemberRow, OrganizationRole } from "@keyhub/hub/source";
import { useCallback, useEffect, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { say } from "../../browser/message.ts";
import { showFailure } from "../../browser/show-failure.ts";
import { date } from "../../parts/format.ts";
import { FailureNote } from "../failure-note.tsx";
import { PageError, type ShownFailure, shownFailureOf } from "../failure-text.ts";
import { Skeleton } from "../skeleton.tsx";
import { Invitations } from "./invitations.tsx";
import { OrganizationPage, type OwnOrganization, ROLE_WORDS, type Scene } from "./organization.tsx";

/** Shows the members of an organization, and the actions of owners and admins. */
export default function Members({ slug }: { slug: string }) {
  return (
    <OrganizationPage slug={slug} at="members">
      {(scene) => <MembersOf key={scene.organization.id} {...scene} />}
    </OrganizationPage>
  );
}

/** Runs an action of the hub and shows the result; returns whether it succeeded. */
export type RunChange = (done: string, work: (hub: Hub) => Promise<unknown>) => Promise<boolean>;

function MembersOf({ member, organization, reload }: Scene) {
  const { id, role } = organization;
  const { hub } = member;
  const { route } = useLocation();
  const [members, setMembers] = useState<MemberRow[] | null>(null);
  const [failure, setFailure] = useState<ShownFailure | null>(null);

  const load = useCallback(async () => {
    setFailure(null);
    try {
      setMembers(await hub.organizations.members(id));
    } catch (error) {
      setFailure(await shownFailureOf(error));
    }
  }, [hub, id]);
  useEffect(() => void load(), [load]);

  const act: RunChange = async (done, work) => {
    try {
      await work(hub);
    } catch (error) {
      await showFailure(error, () => void act(done, work));
      // The hub refused the change, so show the stored values again.
      await load();
      return false;
    }
    say(done);
    await Promise.all([load(), reload()]);
    return true;
  };

  async function leave(): Promise<void> {
    const isLast = organization.members === 1;
    const question = isLast
      ? `Leave “${organization.name}”? You are its last member: it will be closed and its shelf deleted. Listings stay with their creators.`
      : `Leave “${organization.name}”? You no longer see its shelf. Copies that you have imported stay.`;
    if (!confirm(question)) return;
    try {
      await hub.organizations.leave(id);
      say("You have left.");
      route("/workspace/organizations", true);
    } catch (error) {
      await showFailure(error, () => void leave());
    }
  }

  return (
    <>
      <FailureNote failure={failure} onRetry={load} />
      {!members && !failure && <Skeleton />}
      {members && (
        <ul class="shelf" aria-label="Members">
          {members.map((one) => (
            <Row
              key={one.user_id}
              row={one}
              role={role}
              isCaller={one.user_id === member.id}
              organization={organization}
              act={act}
            />
          ))}
        </ul>
      )}
      {members && members.length < organization.members && (
        <p class="quiet">The first {members.length} are shown.</p>
      )}
      {role !== "member" && (
        <>
          <Invitations hub={hub} organization={organization} />
          <section aria-labelledby="rename">
            <h2 id="rename">Name</h2>
            <Rename organization={organization} act={act} />
          </section>
        </>
      )}
      <section aria-labelledby="leave">
        <h2 id="leave">Leave</h2>
        <p class="quiet">
          You no longer see the shelf. Copies that you have imported stay; what you have shared stays on the
          shelf until you take it off under <a href="/workspace/listings">My listings</a>.
        </p>
        <p>
          <button type="button" onClick={() => void leave()}>
            Leave the organization
          </button>
        </p>
      </section>
    </>
  );
}

interface RowProps {
  row: MemberRow;
  /** The role of the caller. */
  role: OrganizationRole;
  isCaller: boolean;
  organization: OwnOrganization;
  act: RunChange;
}

function Row({ row, role, isCaller, organization, act }: RowProps) {
  const { user_id, username, display_name, created_at } = row;
  const name = username === null ? "A banned account" : `@${username}`;
  const isRemovable = !isCaller && (role === "owner" || (role === "admin" && row.role === "member"));

  function setRole(wanted: OrganizationRole): void {
    const gives = isCaller && wanted !== "owner";
    if (
      gives &&
      !confirm("You will no longer be an owner, and you cannot make yourself one again. Continue?")
    ) {
      void act("Nothing was changed.", async () => {});
      return;
    }
    void act(`${name} is ${ROLE_WORDS[wanted].one} now.`, (hub) =>
      hub.organizations.setRole(organization.id, user_id, wanted),
    );
  }

  return (
    <li>
      <span>
        {display_name && <bdi>{display_name} </bdi>}
        <bdi class={display_name ? "quiet" : undefined}>{name}</bdi>
        {isCaller && " (you)"}
        <br />
        <span class="quiet">since {date(created_at)}</span>
      </span>
      <span class="row">
        {role === "owner" ? (
          <select
            aria-label={`Role of ${name}`}
            value={row.role}
            onChange={({ currentTarget }) => setRole(currentTarget.value as OrganizationRole)}
          >
            {Object.entries(ROLE_WORDS).map(([value, words]) => (
              <option key={value} value={value}>
                {words.name}
              </option>
            ))}
          </select>
        ) : (
          <span class="tag">{ROLE_WORDS[row.role].name}</span>
        )}
        {isRemovable && (
          <button
            type="button"
            aria-label={`Remove ${name}`}
            onClick={() => {
              if (
                !confirm(
                  `Remove ${name} from “${organization.name}”? They no longer see the shelf, and open invitation links end.`,
                )
              )
                return;
              void act(`${name} is removed.`, (hub) => hub.organizations.remove(organization.id, user_id));
            }}
          >
            Remove
          </button>
        )}
      </span>
    </li>
  );
}

function Rename({ organization, act }: Pick<RowProps, "organization" | "act">) {
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const name = String(new FormData(event.currentTarget as HTMLFormElement).get("name")).trim();
    void act("Renamed.", async (hub) => {
      if (!(await hub.organizations.rename(organization.id, name)))
        throw new PageError("Your role in the organization does not allow this.");
    });
  };
  return (
    <form class="row" onSubmit={submit}>
      <label class="field">
        <span>Name of the organization</span>
        <input
          name="name"
          key={organization.name}
          defaultValue={organization.name}
          required
          maxLength={80}
          dir="auto"
        />
      </label>
      <button type="submit">Rename</button>
    </form>
  );
}

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { anon, signedIn } from "../../support/actors.ts";
import { asAuth } from "../../support/auth.ts";
import { type Clone, cloneDatabase } from "../../support/database.ts";
import { makeUser, makeUsers } from "../../support/hub.ts";
import { ask, makeTeam, refusal, rolesOf, type Team } from "../../support/organizations.ts";

let db: Clone;
let crowd: { sql: Clone["sql"] };
beforeAll(async () => {
  db = await cloneDatabase();
  crowd = { sql: db.as("postgres" as never, 24) };
});
afterAll(() => db.drop());

const as = (userId: string) => signedIn(db, userId);
const invite = (team: Team, options: Record<string, unknown> = {}, by = team.owner) =>
  ask<{ id: string; token: string }>(as(by), "invite_member", { organization_id: team.id, ...options });

describe("an invitation", () => {
  test("tells the name of the organization and nothing else, and its token is stored nowhere", async () => {
    const team = await makeTeam(db);
    const { token } = await invite(team);
    expect(token).toMatch(/^kh_invite_[0-9a-f]{64}$/);
    expect(await ask(anon(db), "invitation", { token })).toEqual({ name: `Team ${team.slug}` });
    const [{ held } = {}] =
      await db.sql`select string_agg(i::text, ' ') as held from private.organization_invitations i`;
    expect(held).not.toContain(token);
  });

  test("is accepted once; the same link again by who has joined changes nothing", async () => {
    const team = await makeTeam(db);
    const [first = "", second = ""] = await makeUsers(db.sql, 2);
    const { token } = await invite(team);
    expect(await ask(as(first), "accept_invitation", { token })).toMatchObject({ slug: team.slug });
    expect(await ask(as(first), "accept_invitation", { token })).toMatchObject({ slug: team.slug });
    expect(await refusal(as(second), "accept_invitation", { token })).toBe("invitation_not_found");
    expect(await refusal(anon(db), "invitation", { token })).toBe("invitation_not_found");
    expect((await rolesOf(db.sql, team.id))[first]).toBe("member");
  });

  test("used by ten at once lets in as many as it says", async () => {
    const team = await makeTeam(db);
    const { token } = await invite(team, { max_uses: 3 });
    const users = await makeUsers(db.sql, 10);
    const outcomes = await Promise.all(
      users.map((id) => refusal(signedIn(crowd, id), "accept_invitation", { token })),
    );
    expect(outcomes.filter((code) => code === null)).toHaveLength(3);
    expect(Object.keys(await rolesOf(db.sql, team.id))).toHaveLength(6);
  });

  test.each([
    [
      "expired",
      (id: string) => db.sql`update private.organization_invitations set expires_at = now() where id = ${id}`,
    ],
    [
      "revoked",
      async (id: string, team: Team) => ask(as(team.admin), "revoke_invitation", { invitation_id: id }),
    ],
  ])("that is %s lets nobody in", async (_, spoil) => {
    const team = await makeTeam(db);
    const { id, token } = await invite(team);
    await spoil(id, team);
    expect(await refusal(as(await makeUser(db.sql)), "accept_invitation", { token })).toBe(
      "invitation_not_found",
    );
  });

  test("for an address is for the account of that address, however it is written", async () => {
    const team = await makeTeam(db);
    const [guest = "", other = ""] = await makeUsers(db.sql, 2);
    await asAuth(db.sql)`update auth.users set email = 'Mia@Example.test' where id = ${guest}`;
    const { token } = await invite(team, { email: " mia@example.TEST " });
    expect(await refusal(as(other), "accept_invitation", { token })).toBe("other_address");
    expect(await refusal(as(guest), "accept_invitation", { token })).toBeNull();
    const [{ held } = {}] =
      await db.sql`select string_agg(i::text, ' ') as held from private.organization_invitations i`;
    expect(held.toLowerCase()).not.toContain("mia@");
  });

  test("is made by owners and admins, and of an admin by owners only", async () => {
    const team = await makeTeam(db);
    const asking = (id: string, role: string) =>
      refusal(as(id), "invite_member", { organization_id: team.id, role });
    expect(await asking(team.admin, "member")).toBeNull();
    expect(await asking(team.admin, "admin")).toBe("role_required");
    expect(await asking(team.owner, "admin")).toBeNull();
    expect(await asking(team.owner, "owner")).toBe("validation_failed");
    expect(await asking(team.member, "member")).toBe("role_required");
    expect(await asking(await makeUser(db.sql), "member")).toBe("organization_not_found");
  });

  test.each([
    { days: 0 },
    { days: 91 },
    { max_uses: 0 },
    { max_uses: 1001 },
    { email: "nobody" },
    { email: "a@b.test", max_uses: 2 },
  ])("with %j is refused", async (options) => {
    const team = await makeTeam(db);
    expect(await refusal(as(team.owner), "invite_member", { organization_id: team.id, ...options })).toBe(
      "validation_failed",
    );
  });

  test("the list of them is for owners and admins, and another organization's is not revoked", async () => {
    const [team, other] = [await makeTeam(db), await makeTeam(db)];
    const { id } = await invite(team, { max_uses: 5 });
    expect(await ask(as(team.admin), "organization_invitations", { organization_id: team.id })).toMatchObject(
      [{ id, role: "member", for_address: false, max_uses: 5, used: 0, live: true }],
    );
    expect(await refusal(as(team.member), "organization_invitations", { organization_id: team.id })).toBe(
      "organization_not_found",
    );
    expect(await refusal(as(other.owner), "revoke_invitation", { invitation_id: id })).toBe(
      "invitation_not_found",
    );
    expect(await refusal(as(team.member), "revoke_invitation", { invitation_id: id })).toBe("role_required");
  });

  test("at most 100 are live", async () => {
    const team = await makeTeam(db);
    await db.sql`
      insert into private.organization_invitations (organization_id, token_sha256, expires_at)
      select ${team.id}, gen_random_uuid()::text, now() + interval '1 day' from generate_series(1, 100)`;
    expect(await refusal(as(team.owner), "invite_member", { organization_id: team.id })).toBe(
      "limit_reached",
    );
  });

  test("an organization has at most 10,000 members", async () => {
    const team = await makeTeam(db);
    const { token } = await invite(team);
    // The limit counts rows of members, so these members need no accounts.
    await db.sql.begin(async (tx) => {
      await tx`set local session_replication_role = replica`;
      await tx`
        insert into organization_members (organization_id, user_id)
        select ${team.id}, gen_random_uuid() from generate_series(1, 9997)`;
    });
    expect(await refusal(as(await makeUser(db.sql)), "accept_invitation", { token })).toBe("limit_reached");
    expect(await ask<{ members: number }[]>(as(team.owner), "my_organizations")).toMatchObject([
      { members: 10_000 },
    ]);
  });
});

describe("the links that somebody knows", () => {
  test("let nobody back who was removed, and give no role back that was taken", async () => {
    const team = await makeTeam(db);
    const [removed = "", demoted = "", stranger = ""] = await makeUsers(db.sql, 3);
    const { token } = await invite(team, { max_uses: 50 });
    const forAdmins = await invite(team, { max_uses: 50, role: "admin" });
    await ask(as(removed), "accept_invitation", { token });
    await ask(as(demoted), "accept_invitation", { token: forAdmins.token });
    // The stranger is invited by an address of their own, which nobody else can use.
    const [user] = await db.sql`select email from auth.users where id = ${stranger}`;
    const own = await invite(team, { email: user?.email });

    await ask(as(team.owner), "set_member_role", {
      organization_id: team.id,
      user_id: demoted,
      role: "member",
    });
    await ask(as(demoted), "leave_organization", { organization_id: team.id });
    expect(await refusal(as(demoted), "accept_invitation", { token: forAdmins.token })).toBe(
      "invitation_not_found",
    );
    expect(await refusal(as(stranger), "accept_invitation", { token })).toBe("invitation_not_found");
    const later = await invite(team, { max_uses: 50 });
    await ask(as(team.admin), "remove_member", { organization_id: team.id, user_id: removed });
    expect(await refusal(as(removed), "accept_invitation", { token: later.token })).toBe(
      "invitation_not_found",
    );
    expect(await ask(as(stranger), "accept_invitation", { token: own.token })).toMatchObject({
      slug: team.slug,
    });
  });

  test("also not by their own address, nor with an invitation that they made", async () => {
    const team = await makeTeam(db);
    const [user] = await db.sql`select email from auth.users where id = ${team.admin}`;
    const own = await invite(team, { email: user?.email });
    const friend = await makeUser(db.sql);
    const [{ email } = {}] = await db.sql`select email from auth.users where id = ${friend}`;
    const made = await ask<{ token: string }>(as(team.admin), "invite_member", {
      organization_id: team.id,
      email,
    });
    await ask(as(team.owner), "remove_member", { organization_id: team.id, user_id: team.admin });
    expect(await refusal(as(team.admin), "accept_invitation", { token: own.token })).toBe(
      "invitation_not_found",
    );
    expect(await refusal(as(friend), "accept_invitation", { token: made.token })).toBe(
      "invitation_not_found",
    );
  });
});

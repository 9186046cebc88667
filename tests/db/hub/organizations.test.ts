import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { anon, anonymousSession, signedIn } from "../../support/actors.ts";
import { asAuth } from "../../support/auth.ts";
import { type Clone, cloneDatabase } from "../../support/database.ts";
import { makeAdmin, makeUser, makeUsers } from "../../support/hub.ts";
import { LONG_TESTS } from "../../support/long-tests.ts";
import { ask, join, makeTeam, refusal, type Team } from "../../support/organizations.ts";

let db: Clone;
let crowd: { sql: Clone["sql"] };
beforeAll(async () => {
  db = await cloneDatabase();
  crowd = { sql: db.as("postgres" as never, 24) };
});
afterAll(() => db.drop());

const as = (userId: string) => signedIn(db, userId);
const rolesOf = async (id: string) => {
  const rows = await db.sql<{ user_id: string; role: string }[]>`
    select user_id, role from organization_members where organization_id = ${id} order by created_at, user_id`;
  return Object.fromEntries(rows.map(({ user_id, role }) => [user_id, role]));
};
const deleteUser = (id: string) => asAuth(db.sql)`delete from auth.users where id = ${id}`;
const invite = (team: Team, options: Record<string, unknown> = {}, by = team.owner) =>
  ask<{ id: string; token: string }>(as(by), "invite_member", { organization_id: team.id, ...options });

describe("a new organization", () => {
  test("belongs to who made it, and only members see it", async () => {
    const [owner = "", stranger = ""] = await makeUsers(db.sql, 2);
    const made = await ask<{ id: string; slug: string; name: string }>(as(owner), "create_organization", {
      ...{ name: "  Quiet   Whale ", slug: "quiet-whale" },
    });
    expect(made).toEqual({ id: expect.any(String), slug: "quiet-whale", name: "Quiet   Whale" });
    expect(await rolesOf(made.id)).toEqual({ [owner]: "owner" });
    expect(await ask(as(owner), "my_organizations")).toMatchObject([
      { slug: "quiet-whale", role: "owner", members: 1 },
    ]);
    for (const table of ["organizations", "organization_members"]) {
      const seen = (id: string) => as(id).run((tx) => tx`select from ${tx(table)}`);
      expect((await seen(owner)).length).toBeGreaterThan(0);
      expect(await seen(stranger)).toHaveLength(0);
    }
  });

  test.each([
    ["in another script", { slug: "ацме" }, "validation_failed"],
    ["too short", { slug: "ab" }, "validation_failed"],
    ["with capitals", { slug: "Acme" }, "validation_failed"],
    ["reserved", { slug: "admin-team" }, "slug_taken"],
    ["the hub's own", { slug: "keyhub" }, "slug_taken"],
    ["that looks like a taken one", { slug: "ba1tic" }, "slug_taken"],
    ["that is null", { slug: null }, "validation_failed"],
  ])("with a slug %s is refused", async (_, { slug }, code) => {
    const owner = as(await makeUser(db.sql));
    if (slug === "ba1tic") await ask(owner, "create_organization", { name: "Baltic", slug: "baltic" });
    expect(await refusal(owner, "create_organization", { name: "A team", slug })).toBe(code);
  });

  test.each([
    ["without a name", "  ", "validation_failed"],
    ["with an invisible character", "A\u202eteam", "validation_failed"],
    ["of two scripts", "Аcme", "mixed_script"],
    ["with a megabyte of a name", "x".repeat(1_000_000), "validation_failed"],
  ])("%s is refused", async (_, name, code) => {
    expect(
      await refusal(as(await makeUser(db.sql)), "create_organization", { name, slug: "some-team" }),
    ).toBe(code);
  });

  test("one slug wanted by eight at once is given to one", async () => {
    const users = await makeUsers(db.sql, 8);
    const outcomes = await Promise.all(
      users.map((id) =>
        refusal(signedIn(crowd, id), "create_organization", { name: "Race", slug: "race-team" }),
      ),
    );
    expect(outcomes.filter((code) => code === null)).toHaveLength(1);
    expect(outcomes.filter((code) => code === "slug_taken")).toHaveLength(7);
  });

  test("a user owns at most 20", async () => {
    const owner = await makeUser(db.sql);
    for (let n = 0; n < 20; n += 1)
      await ask(as(owner), "create_organization", {
        name: "Many",
        slug: `many-${"abcdefghjkmnpqrstuvw"[n]}xx`,
      });
    expect(await refusal(as(owner), "create_organization", { name: "Many", slug: "many-more" })).toBe(
      "limit_reached",
    );
  });

  test("a guest and an anonymous session make none", async () => {
    expect(await refusal(anon(db), "create_organization", { name: "A", slug: "guests" })).toBe("42501");
    const anonymous = anonymousSession(db, await makeUser(db.sql));
    expect(await refusal(anonymous, "create_organization", { name: "A", slug: "guests" })).toBe("42501");
  });

  test("owners and admins rename it, members do not; a secret is no name", async () => {
    const team = await makeTeam(db);
    const rename = async (id: string, name: string) =>
      (
        await as(id).run(
          (tx) => tx`update organizations set name = ${name} where id = ${team.id} returning id`,
        )
      ).length;
    expect(await rename(team.admin, "New name")).toBe(1);
    expect(await rename(team.member, "Mine")).toBe(0);
    await expect(rename(team.owner, `sk-proj-${"a1B2".repeat(12)}`)).rejects.toThrow("secret_detected");
    const slug = as(team.owner).run(
      (tx) => tx`update organizations set slug = 'other-slug' where id = ${team.id}`,
    );
    await expect(slug).rejects.toThrow("permission denied");
  });
});

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
    expect((await rolesOf(team.id))[first]).toBe("member");
  });

  test("used by ten at once lets in as many as it says", async () => {
    const team = await makeTeam(db);
    const { token } = await invite(team, { max_uses: 3 });
    const users = await makeUsers(db.sql, 10);
    const outcomes = await Promise.all(
      users.map((id) => refusal(signedIn(crowd, id), "accept_invitation", { token })),
    );
    expect(outcomes.filter((code) => code === null)).toHaveLength(3);
    expect(Object.keys(await rolesOf(team.id))).toHaveLength(6);
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

describe("roles", () => {
  test("are given by owners", async () => {
    const team = await makeTeam(db);
    const set = (by: string, role: string, user_id = team.member) =>
      refusal(as(by), "set_member_role", { organization_id: team.id, user_id, role });
    expect(await set(team.admin, "admin")).toBe("role_required");
    expect(await set(team.owner, "chief")).toBe("validation_failed");
    expect(await set(team.owner, "admin", await makeUser(db.sql))).toBe("member_not_found");
    expect(await set(await makeUser(db.sql), "admin")).toBe("organization_not_found");
    expect(await set(team.owner, "admin")).toBeNull();
    expect((await rolesOf(team.id))[team.member]).toBe("admin");
  });

  test("an admin removes members, only an owner removes an admin", async () => {
    const team = await makeTeam(db);
    const second = await makeUser(db.sql);
    await join(db.sql, team.id, second, "admin");
    const remove = (by: string, user_id: string) =>
      refusal(as(by), "remove_member", { organization_id: team.id, user_id });
    expect(await remove(team.member, team.admin)).toBe("role_required");
    expect(await remove(team.admin, second)).toBe("role_required");
    expect(await remove(team.admin, team.owner)).toBe("role_required");
    expect(await remove(team.admin, team.member)).toBeNull();
    expect(await remove(team.owner, second)).toBeNull();
    expect(await remove(team.owner, second)).toBe("member_not_found");
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

describe("the last owner", () => {
  const ROUNDS = LONG_TESTS ? 10 : 4;

  test("neither leaves, nor is demoted, nor removes themself", async () => {
    const team = await makeTeam(db);
    const args = { organization_id: team.id };
    expect(await refusal(as(team.owner), "leave_organization", args)).toBe("last_owner");
    expect(
      await refusal(as(team.owner), "set_member_role", { ...args, user_id: team.owner, role: "member" }),
    ).toBe("last_owner");
    expect(await refusal(as(team.owner), "remove_member", { ...args, user_id: team.owner })).toBe(
      "last_owner",
    );
  });

  test("who is the last of all closes it", async () => {
    const team = await makeTeam(db);
    for (const id of [team.admin, team.member, team.owner])
      expect(await refusal(as(id), "leave_organization", { organization_id: team.id })).toBeNull();
    expect(await db.sql`select from organizations where id = ${team.id}`).toHaveLength(0);
  });

  test("two owners who leave at once: one stays", async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const team = await makeTeam(db);
      await ask(as(team.owner), "set_member_role", {
        organization_id: team.id,
        user_id: team.admin,
        role: "owner",
      });
      const outcomes = await Promise.all(
        [team.owner, team.admin].map((id) =>
          refusal(signedIn(crowd, id), "leave_organization", { organization_id: team.id }),
        ),
      );
      expect(outcomes.sort()).toEqual(["last_owner", null].sort());
      expect(Object.values(await rolesOf(team.id)).sort()).toEqual(["member", "owner"]);
    }
  });

  test("whose account is deleted is followed by the oldest admin, else the oldest member", async () => {
    const team = await makeTeam(db);
    await deleteUser(team.owner);
    expect(await rolesOf(team.id)).toEqual({ [team.admin]: "owner", [team.member]: "member" });
    await deleteUser(team.admin);
    expect(await rolesOf(team.id)).toEqual({ [team.member]: "owner" });
    await deleteUser(team.member);
    expect(await db.sql`select from organizations where id = ${team.id}`).toHaveLength(0);
  });

  test("all owners deleted at once, in two organizations: each has an owner or is closed", async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const teams = [await makeTeam(db), await makeTeam(db)];
      const [one = "", two = ""] = await makeUsers(db.sql, 2);
      for (const { id, owner } of teams) {
        for (const user of [one, two]) await join(db.sql, id, user, "owner");
        await db.sql`delete from organization_members where organization_id = ${id} and user_id = ${owner}`;
      }
      const auth = asAuth(crowd.sql);
      await Promise.all([one, two].map((id) => auth`delete from auth.users where id = ${id}`));
      for (const team of teams)
        expect(await rolesOf(team.id)).toEqual({ [team.admin]: "owner", [team.member]: "member" });
    }
  });

  test("an operator who deletes the row makes the next one the owner", async () => {
    const team = await makeTeam(db);
    await db.sql`delete from organization_members where organization_id = ${team.id} and role = 'owner'`;
    expect((await rolesOf(team.id))[team.admin]).toBe("owner");
    await db.sql`update organization_members set role = 'member' where organization_id = ${team.id}`;
    expect(Object.values(await rolesOf(team.id)).sort()).toEqual(["member", "owner"]);
  });
});

test("a banned member reads, and changes nothing", async () => {
  const team = await makeTeam(db);
  const admin = as(await makeAdmin(db.sql));
  await ask(admin, "hub_ban_creator", { user_id: team.owner, reason: "For a test." });
  expect(await ask(as(team.owner), "my_organizations")).toMatchObject([{ slug: team.slug }]);
  expect(await refusal(as(team.owner), "invite_member", { organization_id: team.id })).toBe("banned");
  expect(await refusal(as(team.owner), "leave_organization", { organization_id: team.id })).toBe("banned");
  const rename = as(team.owner).run((tx) => tx`update organizations set name = 'X' where id = ${team.id}`);
  await expect(rename).rejects.toThrow("banned");
});

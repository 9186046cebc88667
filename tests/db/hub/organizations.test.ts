import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { anon, anonymousSession, signedIn } from "../../support/actors.ts";
import { asAuth } from "../../support/auth.ts";
import { type Clone, cloneDatabase } from "../../support/database.ts";
import { makeAdmin, makeUser, makeUsers } from "../../support/hub.ts";
import { LONG_TESTS } from "../../support/long-tests.ts";
import { ask, join, makeTeam, refusal, rolesOf } from "../../support/organizations.ts";

let db: Clone;
let crowd: { sql: Clone["sql"] };
beforeAll(async () => {
  db = await cloneDatabase();
  crowd = { sql: db.as("postgres" as never, 24) };
});
afterAll(() => db.drop());

const as = (userId: string) => signedIn(db, userId);
const deleteUser = (id: string) => asAuth(db.sql)`delete from auth.users where id = ${id}`;

describe("a new organization", () => {
  test("belongs to who made it, and only members see it", async () => {
    const [owner = "", stranger = ""] = await makeUsers(db.sql, 2);
    const made = await ask<{ id: string; slug: string; name: string }>(as(owner), "create_organization", {
      ...{ name: "  Quiet   Whale ", slug: "quiet-whale" },
    });
    expect(made).toEqual({ id: expect.any(String), slug: "quiet-whale", name: "Quiet   Whale" });
    expect(await rolesOf(db.sql, made.id)).toEqual({ [owner]: "owner" });
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
    expect((await rolesOf(db.sql, team.id))[team.member]).toBe("admin");
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
      expect(Object.values(await rolesOf(db.sql, team.id)).sort()).toEqual(["member", "owner"]);
    }
  });

  test("whose account is deleted is followed by the oldest admin, else the oldest member", async () => {
    const team = await makeTeam(db);
    await deleteUser(team.owner);
    expect(await rolesOf(db.sql, team.id)).toEqual({ [team.admin]: "owner", [team.member]: "member" });
    await deleteUser(team.admin);
    expect(await rolesOf(db.sql, team.id)).toEqual({ [team.member]: "owner" });
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
        expect(await rolesOf(db.sql, team.id)).toEqual({ [team.admin]: "owner", [team.member]: "member" });
    }
  });

  test("an operator who deletes the row makes the next one the owner", async () => {
    const team = await makeTeam(db);
    await db.sql`delete from organization_members where organization_id = ${team.id} and role = 'owner'`;
    expect((await rolesOf(db.sql, team.id))[team.admin]).toBe("owner");
    await db.sql`update organization_members set role = 'member' where organization_id = ${team.id}`;
    expect(Object.values(await rolesOf(db.sql, team.id)).sort()).toEqual(["member", "owner"]);
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

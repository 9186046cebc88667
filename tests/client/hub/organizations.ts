import { expect, test } from "vitest";
import { clientsFor, fits, type HubBench } from "./fixture.ts";

/** Tests a team through the client: every call returns what its types declare. */
export function organizationsSuite(bench: HubBench): void {
  test.each(clientsFor("fetch"))("two members and an outsider over %s", async (kind) => {
    const [ann, ben, eve] = [await bench.join(kind), await bench.join(kind), await bench.join(kind)];
    const guest = bench.hub(kind);
    const teams = ann.hub.organizations;
    const slug = `crew-${kind.replaceAll("-", "").slice(0, 6)}`;
    expect(await teams.mine()).toEqual([]);
    const team = fits("Organization", await teams.create(`The crew of ${kind}`, slug));
    await expect(eve.hub.organizations.create("Another", slug)).rejects.toMatchObject({ code: "slug_taken" });

    const { id: invitation, token } = fits("MadeInvitation", await teams.invite(team.id, { max_uses: 2 }));
    expect(fits("InvitationTo", await guest.organizations.invitation(token))).toEqual({ name: team.name });
    expect(fits("Organization", await ben.hub.organizations.accept(token))).toEqual(team);
    expect(fits("Invitations", await teams.invitations(team.id))).toMatchObject([
      { id: invitation, used: 1, live: true },
    ]);
    await teams.revokeInvitation(invitation);
    await expect(eve.hub.organizations.accept(token)).rejects.toMatchObject({ code: "invitation_not_found" });
    expect(fits("OwnOrganizations", await teams.mine())).toMatchObject([{ slug, role: "owner", members: 2 }]);
    const members = await teams.members(team.id);
    expect(members.map(({ user_id, role }) => [user_id, role])).toEqual([
      [ann.id, "owner"],
      [ben.id, "member"],
    ]);
    expect(members[1]?.username).toEqual(expect.any(String));
    await teams.setRole(team.id, ben.id, "admin");
    expect(await ben.hub.organizations.rename(team.id, "The crew")).toBe(true);
    expect(await eve.hub.organizations.rename(team.id, "Mine")).toBe(false);

    const { id: ref_id } = await ann.hub.workspace("template").create({ name: "Plan", content: "Hello" });
    const request = {
      asset_type: "template" as const,
      ref_id,
      title: "Plan",
      description: "d",
      license: "cc0" as const,
    };
    fits("Preview", await ann.hub.preview({ ...request, organization: slug }));
    const { asset } = fits("Published", await ann.hub.publish({ ...request, organization: slug }));
    expect(fits("SearchPage", await ben.hub.organizations.shelf(slug, { q: "plan" })).items).toMatchObject([
      { id: asset.id },
    ]);
    expect(fits("Asset", await ben.hub.asset(asset.slug))).toMatchObject({
      organization: { slug, name: "The crew" },
    });
    for (const hub of [guest, eve.hub])
      await expect(hub.asset(asset.slug)).rejects.toMatchObject({ code: "asset_not_found" });
    await expect(eve.hub.organizations.shelf(slug)).rejects.toMatchObject({ code: "organization_not_found" });
    expect(await ann.hub.ownListings(ann.id)).toMatchObject([
      { is_public: false, is_shared: true, organization_id: team.id },
    ]);
    const { created } = fits("CloudImport", await ben.hub.importAsset(asset.slug));
    await expect(
      ben.hub.publish({ ...request, ref_id: created[0]?.id ?? "", title: "Taken" }),
    ).rejects.toMatchObject({ problem: { code: "organization_only", errors: [{ path: "ref_id" }] } });

    await ben.hub.report(asset.id, "spam");
    expect(fits("OrganizationQueue", await teams.reviewQueue(team.id))).toMatchObject([
      { asset_id: asset.id, open_reports: 1 },
    ]);
    await teams.review(asset.id, false, "Old.");
    expect((await ben.hub.organizations.shelf(slug)).items).toEqual([]);
    await teams.review(asset.id, true);
    expect(fits("Decisions", await ann.hub.decisions())).toBeTruthy();

    await expect(teams.leave(team.id)).rejects.toMatchObject({ code: "last_owner" });
    await teams.remove(team.id, ben.id);
    await expect(ben.hub.organizations.shelf(slug)).rejects.toMatchObject({ code: "organization_not_found" });
    await teams.leave(team.id);
    expect(await teams.mine()).toEqual([]);
  });
}

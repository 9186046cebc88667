import { REPORT_THRESHOLD } from "../hub.ts";

/**
 * A small reference model of the hub's registry, written from its rules and not from its SQL: one statement at a time, no clock. Each
 * action returns the code of its refusal, or "ok". The test runs the model and the database side by side.
 */
export interface ModelReport {
  id: string;
  asset: ModelAsset;
  reporter: string | null;
  version: number;
  counts: boolean;
  outcome: "upheld" | "dismissed" | null;
}

export interface ModelAsset {
  id: string;
  creator: string | null;
  item: string;
  content: number;
  /** Whether the creator has edited the listing since its last publication. */
  edited: boolean;
  version: number;
  /** The version that an admin restored last. */
  reviewed: number;
  /** The users who had an account when the asset was last restored. */
  known: Set<string>;
  hasContent: boolean;
  public: boolean;
  hidden: string | null;
  banned: boolean;
  deleted: boolean;
  stars: Set<string>;
  /** All users who imported the asset, without the creator. */
  importers: Set<string>;
}

export class Hub {
  assets: ModelAsset[] = [];
  reports: ModelReport[] = [];
  banned = new Set<string>();
  /** Everybody who ever had an account. */
  joined = new Set<string>();

  visible(asset: ModelAsset): boolean {
    return asset.public && asset.hidden === null && !asset.banned && !asset.deleted;
  }

  open(asset: ModelAsset): ModelReport[] {
    return this.reports.filter((report) => report.asset === asset && report.outcome === null);
  }

  /** Publishes an item. `newId` is the id that the database gave the listing; it is used only for a new listing. */
  publish(user: string, item: string, content: number, newId: string): string {
    if (this.banned.has(user)) return "banned";
    const asset = this.assets.find((candidate) => candidate.item === item);
    if (asset === undefined) {
      this.assets.push({
        ...{
          id: newId,
          creator: user,
          item,
          content,
          edited: false,
          version: 1,
          reviewed: 0,
          known: new Set<string>(),
          hasContent: true,
          public: true,
        },
        ...{ hidden: null, banned: false, deleted: false, stars: new Set(), importers: new Set() },
      });
      return "ok";
    }
    if (asset.hidden === "removed") return "removed";
    if (asset.deleted || asset.edited || !asset.hasContent || asset.content !== content) {
      asset.version += 1;
      asset.content = content;
      asset.edited = false;
      asset.hasContent = true;
      asset.deleted = false;
    }
    asset.public = true;
    return "ok";
  }

  star(user: string, asset: ModelAsset): string {
    if (this.banned.has(user)) return "banned";
    if (!this.visible(asset)) return "42501";
    asset.stars.add(user);
    return "ok";
  }

  unstar(user: string, asset: ModelAsset): string {
    if (this.banned.has(user)) return "banned";
    asset.stars.delete(user);
    return "ok";
  }

  import(user: string, asset: ModelAsset): string {
    asset.importers.add(user);
    return "ok";
  }

  report(user: string, asset: ModelAsset, newId: string): string {
    if (this.banned.has(user)) return "banned";
    if (asset.creator === user) return "own_asset";
    const earlier = this.open(asset).find((report) => report.reporter === user);
    if (earlier && (earlier.counts || earlier.version >= asset.version || !this.visible(asset))) {
      return "already_reported";
    }
    if (!this.visible(asset)) return "42501";
    if (earlier) earlier.outcome = "dismissed";
    const dismissed = this.reports.some(
      (report) =>
        report.asset === asset &&
        report.reporter === user &&
        report.outcome !== null &&
        ((report.outcome === "dismissed" && report.version === asset.version) ||
          asset.reviewed >= asset.version),
    );
    this.reports.push({
      id: newId,
      asset,
      reporter: user,
      version: asset.version,
      counts: !dismissed && (asset.reviewed < asset.version || asset.known.has(user)),
      outcome: null,
    });
    if (this.open(asset).filter(({ counts }) => counts).length >= REPORT_THRESHOLD) asset.hidden = "reports";
    return "ok";
  }

  edit(user: string, asset: ModelAsset): string {
    if (this.banned.has(user)) return "banned";
    const own = asset.creator === user && !asset.deleted;
    // An edit of somebody else's listing changes no row, which is not an error in SQL.
    if (own) asset.edited = true;
    return "ok";
  }

  unpublish(user: string, asset: ModelAsset): string {
    const refusal = this.notTheirs(user, asset);
    if (refusal === null) asset.public = false;
    return refusal ?? "ok";
  }

  republish(user: string, asset: ModelAsset): string {
    const refusal = this.notTheirs(user, asset) ?? (asset.hasContent ? null : "not_published");
    if (refusal === null) asset.public = true;
    return refusal ?? "ok";
  }

  delete(user: string, asset: ModelAsset): string {
    const refusal = this.notTheirs(user, asset);
    if (refusal === null) this.bury(asset);
    return refusal ?? "ok";
  }

  hide(asset: ModelAsset): string {
    if (asset.deleted) return "asset_not_found";
    if (!this.visible(asset)) return "not_visible";
    asset.hidden = "moderator";
    return "ok";
  }

  restore(asset: ModelAsset): string {
    if (asset.deleted) return "asset_not_found";
    if (asset.hidden === null) return "not_hidden";
    return this.clearHidden(asset);
  }

  /** Shows a hidden listing again, as an admin or an operator does. */
  clearHidden(asset: ModelAsset): string {
    if (asset.hidden !== null) {
      this.close(asset, "dismissed");
      asset.reviewed = asset.version;
      asset.known = new Set(this.joined);
    }
    asset.hidden = null;
    return "ok";
  }

  remove(asset: ModelAsset): string {
    if (asset.deleted) return "asset_not_found";
    if (asset.hidden === null) return "not_hidden";
    asset.hidden = "removed";
    this.close(asset, "upheld");
    this.bury(asset);
    return "ok";
  }

  resolve(report: ModelReport, outcome: "upheld" | "dismissed"): string {
    if (report.outcome !== null) return "report_resolved";
    if (outcome === "dismissed") this.end(report, outcome);
    else {
      this.close(report.asset, "upheld");
      if (report.asset.hidden !== "removed") report.asset.hidden = "spam";
    }
    return "ok";
  }

  ban(user: string): string {
    if (this.banned.has(user)) return "ok";
    this.banned.add(user);
    for (const asset of this.assets.filter(({ creator }) => creator === user)) {
      asset.banned = true;
      this.close(asset, "upheld");
    }
    this.stopCounting(user);
    return "ok";
  }

  unban(user: string): string {
    this.banned.delete(user);
    for (const asset of this.assets.filter(({ creator }) => creator === user)) asset.banned = false;
    return "ok";
  }

  deleteAccount(user: string): string {
    this.stopCounting(user);
    this.banned.delete(user);
    for (const report of this.reports) if (report.reporter === user) report.reporter = null;
    for (const asset of this.assets) {
      asset.stars.delete(user);
      asset.importers.delete(user);
      if (asset.creator === user) asset.creator = null;
    }
    return "ok";
  }

  deleteRow(asset: ModelAsset): string {
    this.assets = this.assets.filter((other) => other !== asset);
    this.reports = this.reports.filter((report) => report.asset !== asset);
    return "ok";
  }

  private notTheirs(user: string, asset: ModelAsset): string | null {
    if (this.banned.has(user)) return "banned";
    if (asset.creator === user && !asset.deleted) return null;
    return this.visible(asset) ? "not_owner" : "asset_not_found";
  }

  private bury(asset: ModelAsset): void {
    asset.deleted = true;
    asset.public = false;
    asset.hasContent = false;
    asset.stars.clear();
  }

  private close(asset: ModelAsset, outcome: "upheld" | "dismissed"): void {
    for (const report of this.open(asset)) this.end(report, outcome);
  }

  /** Closes one report. A dismissal is about all versions up to now, so it raises the report's version to the current one. */
  end(report: ModelReport, outcome: "upheld" | "dismissed"): void {
    report.outcome = outcome;
    if (outcome === "dismissed") report.version = Math.max(report.version, report.asset.version);
  }

  private stopCounting(user: string): void {
    for (const report of this.reports) {
      if (report.reporter === user && report.outcome === null) report.counts = false;
    }
  }
}

/** A reference model of attribution, written from the rules of the docs: which work was made from which, after any sequence of actions. */

export interface ModelOrigin {
  id: string;
  title: string;
  creator_id: string;
  license: string;
  version: number;
  remix_depth: number;
}

export interface ModelNode {
  /** The id of the row in hub_assets; `refId` is the id of the source. */
  id: string;
  refId: string;
  creator: string;
  title: string;
  version: number;
  state: "private" | "public" | "deleted";
  source: string | null;
  parent: string | null;
  depth: number;
  attribution: { root: ModelOrigin; parent: ModelOrigin; via: ModelOrigin[] } | null;
  /** The items that are published with the work. */
  items: { title: string; attribution: ModelNode["attribution"] }[];
}

export class Lineage {
  readonly nodes = new Map<string, ModelNode>();
  readonly banned = new Set<string>();

  /** Publishes an original. */
  publishOriginal(node: Pick<ModelNode, "id" | "refId" | "creator" | "title" | "items">): void {
    this.nodes.set(node.id, {
      ...node,
      version: 1,
      state: "public",
      ...{ source: null, parent: null, depth: 0, attribution: null },
    });
  }

  canImport(user: string, node: ModelNode): "yes" | "banned" | "asset_not_found" {
    if (this.banned.has(user)) return "banned";
    const own = node.creator === user;
    const visible = node.state === "public" && !this.banned.has(node.creator);
    return visible || (own && node.state === "public") ? "yes" : "asset_not_found";
  }

  /** Copies a node. `made` has the new rows in the order in which they were made: the node's own copy first, then those of its items. */
  import(
    user: string,
    from: ModelNode,
    mode: "use" | "remix",
    made: Pick<ModelNode, "id" | "refId" | "title">[],
  ): void {
    const self = originOf(from);
    for (const [i, row] of made.entries()) {
      const item = i === 0 ? undefined : from.items[i - 1];
      const attribution = item === undefined ? from.attribution : item.attribution;
      const root = attribution?.root ?? self;
      // If the creator of the kit copied an item from somebody else, the copy of this item keeps that work as its parent.
      const parent = item === undefined || attribution === null ? self : attribution.parent;
      const via = between(root, parent, [
        ...(attribution?.via ?? []),
        ...(attribution ? [attribution.parent] : []),
        self,
      ]);
      const main = i === 0 && mode === "remix";
      this.nodes.set(row.id, {
        ...{ ...row, creator: user, version: 0 },
        ...{ state: "private", items: [], attribution: { root, parent, via } },
        source: this.nodes.has(root.id) ? root.id : null,
        parent: main ? from.id : null,
        depth: main ? from.depth + 1 : 0,
      });
    }
  }

  /** Publishes a copy for the first time, a new version, or a deleted listing again. */
  publish(node: ModelNode, title: string): void {
    const from = node.attribution?.parent;
    if (node.version === 0 && from !== undefined && node.parent === null) {
      const parent = this.nodes.get(from.id);
      node.parent = parent?.id ?? null;
      node.depth = Math.max(node.depth, (parent?.depth ?? from.remix_depth) + 1);
    }
    Object.assign(node, { title, version: node.version + 1, state: "public", items: [] });
  }

  /** Deletes a row. Its copies then have null instead of its id. */
  erase(node: ModelNode): void {
    this.nodes.delete(node.id);
    for (const other of this.nodes.values()) {
      if (other.source === node.id) other.source = null;
      if (other.parent === node.id) other.parent = null;
    }
  }
}

/**
 * Returns the works between root and parent (`via`): the first work of each person, without the makers of the root and the parent. One work
 * for each person is enough to credit them, because all works of the model have the same license.
 */
function between(root: ModelOrigin, parent: ModelOrigin, way: ModelOrigin[]): ModelOrigin[] {
  const seen = new Set([root.creator_id, parent.creator_id]);
  return way.filter(({ creator_id: who }) => !seen.has(who) && seen.add(who));
}

function originOf({ id, title, creator, version, depth }: ModelNode): ModelOrigin {
  return { id, title, creator_id: creator, license: "cc-by", version, remix_depth: depth };
}

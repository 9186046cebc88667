import { prepare } from "../../../supabase/functions/hub-publish/prepare.ts";
import type { Source } from "../../../supabase/functions/hub-publish/sources.ts";
import type { WholeAsset } from "./whole-assets.ts";

const USER = "00000000-0000-4000-8000-000000000001";

/** Does all work of hub-publish in core on a whole asset: everything between reading the asset from the workspace and writing it. */
export function preparePublication(text: string): unknown {
  const { asset_type, payload, items } = JSON.parse(text) as WholeAsset;
  const source = ({ asset_type, payload }: Omit<WholeAsset, "items">, n: number): Source => ({
    asset_type,
    ref_id: `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`,
    content: { name: "n", description: null, ...payload },
    attribution: null,
  });
  const sources = items.map((item, n) => source(item, n + 2));
  const wanted = {
    assetType: asset_type,
    refId: source({ asset_type, payload }, 1).ref_id,
    ...{ title: "t", description: "d", tags: ["a"], rawTags: ["a"], license: "cc0" as const },
    ...{ thumbnailUrl: null, mode: asset_type === "orchestration" ? ("bundle" as const) : null },
    items: sources.map(({ asset_type, ref_id }) => ({ asset_type, ref_id })),
    scanToken: null,
    dryRun: true,
    ...{ label: null, changelog: null, organization: null, offer: null },
  };
  const findUnchanged = async (contents: unknown[]) => ({ unchanged: contents.map(() => false) });
  return prepare(wanted, { main: source({ asset_type, payload }, 1), items: sources }, USER, findUnchanged);
}

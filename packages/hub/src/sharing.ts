import type {
  Archive,
  Finding,
  FormatList,
  ImportAnswer,
  Preview,
  PublishBody,
  Published,
  SetPicture,
} from "./answers.ts";
import type { HubCalls } from "./calls.ts";
import { HubError } from "./error.ts";

/** Makes a call idempotent: for 24 hours, a retry with the same key returns the answer to the first call. */
export interface Retry {
  idempotencyKey?: string;
}

export interface PublishOptions extends Retry {
  /**
   * Called when the scan of a component has findings. If it returns true, the component is published anyway, and its importers get a
   * warning. Without `confirm`, the call rejects with `scan_confirmation_required`, and `problem.more` has `findings` and `scan_token`.
   */
  confirm?: (findings: Finding[]) => boolean | Promise<boolean>;
}

export interface ImportOptions extends Retry {
  mode?: "use" | "remix";
  dry_run?: boolean;
}

export interface UpdateOptions extends Retry {
  version?: number;
  overwrite?: boolean;
  dry_run?: boolean;
}

export type PublishRequest = Omit<PublishBody, "dry_run">;

export interface Sharing {
  /** Publishes an item of the caller's workspace. */
  publish(request: PublishRequest, options?: PublishOptions): Promise<Published>;
  /** Returns the content that publishing would make public, without writing anything. */
  preview(request: PublishRequest): Promise<Preview>;
  /** Copies a listing into the caller's workspace; a guest gets a file (`stored` is local). */
  importAsset(idOrSlug: string, options?: ImportOptions & { version?: number }): Promise<ImportAnswer>;
  /**
   * Replaces the content of the caller's copy, given by its id in hub_assets, with the current or the given version. Rejects with
   * `modified_copy` if the copy was edited. With `overwrite` the edits are overwritten, and `restoreCopy` can bring them back.
   */
  updateCopy(idOrSlug: string, into: string, options?: UpdateOptions): Promise<ImportAnswer>;
  /**
   * Imports a file: an asset of Keyhub, or the whole text of a file of any tool that `formats`
   * lists. Some formats are recognized by the `filename`, which also replaces a missing title.
   */
  importDocument(
    document: Archive | string,
    options?: ImportOptions & { filename?: string },
  ): Promise<ImportAnswer>;
  /**
   * Sets the picture of the caller's listing: a PNG, JPEG or WebP of at most 1 MB, which is stored without its metadata. Null removes it.
   */
  setPicture(idOrSlug: string, picture: Blob | ArrayBuffer | null): Promise<SetPicture>;
  /** Returns the formats of other tools that `importDocument` accepts. */
  formats(): Promise<FormatList["formats"]>;
}

export function sharingOf({ invoke, invokeBy }: HubCalls): Sharing {
  return {
    publish: async (request, { confirm, idempotencyKey } = {}) => {
      try {
        return await invoke<Published>("hub-publish", request, idempotencyKey);
      } catch (error) {
        if (!(error instanceof HubError) || error.code !== "scan_confirmation_required" || !confirm)
          throw error;
        const { findings, scan_token } = error.problem.more as { findings: Finding[]; scan_token: string };
        if (!(await confirm(findings))) throw error;
        return invoke("hub-publish", { ...request, scan_token }, idempotencyKey);
      }
    },
    preview: (request) => invoke("hub-publish", { ...request, dry_run: true }),
    importAsset: (idOrSlug, { idempotencyKey, ...options } = {}) =>
      invoke(`hub-import/${encodeURIComponent(idOrSlug)}`, options, idempotencyKey),
    updateCopy: (idOrSlug, into, { idempotencyKey, ...options } = {}) =>
      invoke(`hub-import/${encodeURIComponent(idOrSlug)}`, { ...options, into }, idempotencyKey),
    importDocument: (document, { idempotencyKey, ...options } = {}) =>
      invoke("hub-import", { document, ...options }, idempotencyKey),
    setPicture: (idOrSlug, picture) =>
      invokeBy(
        picture ? "PUT" : "DELETE",
        `hub-picture/${encodeURIComponent(idOrSlug)}`,
        picture ?? undefined,
      ),
    formats: async () => (await invokeBy<FormatList>("GET", "hub-import")).formats,
  };
}

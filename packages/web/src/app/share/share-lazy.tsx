import { useEffect, useState } from "preact/hooks";
import { sayNotLoaded } from "../../browser/offline.ts";
import type { ShareDialog, ShareProps } from "./share.tsx";

/** Loads the dialog when it is first opened, because most visits of the workspace share nothing. */
export function LazyShareDialog(props: ShareProps) {
  const [Dialog, setDialog] = useState<typeof ShareDialog | null>(null);
  const { onClose } = props;
  useEffect(() => {
    import("./share.tsx").then(
      (loaded) => setDialog(() => loaded.ShareDialog),
      () => {
        onClose();
        sayNotLoaded();
      },
    );
  }, []);
  return Dialog && <Dialog {...props} />;
}

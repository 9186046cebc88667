/** Returns the texts of the dialog's steps. Without an organization, the item is published for everybody. */
export function wordsFor(organization: string | undefined) {
  return organization === undefined
    ? {
        readers: "everybody",
        look: "Look at what will be public",
        publish: "Publish",
        not: "Do not publish",
        done: "Published.",
        see: "See it on the hub",
      }
    : {
        readers: `the members of ${organization}`,
        look: "Look at what members will see",
        publish: "Share",
        not: "Do not share",
        done: "Shared.",
        see: "See it on the shelf",
      };
}

export type ShareWords = ReturnType<typeof wordsFor>;

import { Icon } from "./icon.tsx";

/** Marks a listing that only members of an organization can see. */
export function MembersOnly({ name }: { name: string }) {
  return (
    <span class="badge members-only">
      <Icon name="people" />
      <span>
        Only members of <bdi>{name}</bdi>
      </span>
    </span>
  );
}

import { Icon } from "./icon.tsx";

/** Says of a listing that everybody cannot see it. */
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

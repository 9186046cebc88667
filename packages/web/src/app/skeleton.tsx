/** Fills the place of something that is being loaded. */
export function Skeleton() {
  return (
    <div class="skeleton" role="status">
      <span class="hidden">Loading …</span>
      <span />
      <span />
      <span />
    </div>
  );
}

/** Shows a page with only a message: not found, gone, or not available. */
export function MessagePage({ title, text, requestId }: { title: string; text: string; requestId?: string }) {
  return (
    <div class="empty">
      <h1 dir="auto">{title}</h1>
      <p>{text}</p>
      <p>
        <a class="button primary" href="/hub">
          To the hub
        </a>
      </p>
      {requestId && <p class="quiet">Request {requestId}</p>}
    </div>
  );
}

/** The factor by which one step changes the scale of a drawing, and the smallest and the largest scale. */
const STEP = 1.25;
const [LEAST, MOST] = [0.1, 4];
/** The smallest scale at which labels can be read. */
const READABLE = 0.6;

/** Starts the drawings of flows: buttons and keys change their size, and dragging moves them. Without JavaScript only scrolling works. */
export function startDrawings(root: ParentNode = document): void {
  for (const place of root.querySelectorAll<HTMLElement>("[data-drawing]")) startDrawing(place);
}

function startDrawing(place: HTMLElement): void {
  const drawing = place.querySelector("svg");
  if (!drawing || place.dataset.drawing === "started") return;
  place.dataset.drawing = "started";
  const full = { width: drawing.width.baseVal.value, height: drawing.height.baseVal.value };
  let scale = 1;

  /** Changes the scale. The point of the drawing that is in the middle of the frame stays there. */
  const resize = (wanted: number) => {
    const next = Math.min(MOST, Math.max(LEAST, wanted));
    const x = (place.scrollLeft + place.clientWidth / 2) / scale;
    const y = (place.scrollTop + place.clientHeight / 2) / scale;
    scale = next;
    drawing.style.width = `${full.width * scale}px`;
    drawing.style.height = `${full.height * scale}px`;
    place.scrollTo(x * scale - place.clientWidth / 2, y * scale - place.clientHeight / 2);
  };
  const fit = () =>
    resize(Math.min(1, place.clientWidth / full.width, (place.clientHeight || full.height) / full.height));
  const acts: Record<string, () => void> = {
    "+": () => resize(scale * STEP),
    "-": () => resize(scale / STEP),
    "0": fit,
  };

  const buttons = document.createElement("p");
  buttons.className = "row drawing-buttons";
  for (const [key, name] of [
    ["-", "Smaller"],
    ["+", "Larger"],
    ["0", "Whole"],
  ] as const) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = name;
    button.title = `Key: ${key}`;
    button.addEventListener("click", () => acts[key]?.());
    buttons.append(button);
  }
  place.before(buttons);
  // At the start, a drawing that is wider than its frame shrinks to fit, as far as its labels stay readable.
  const whole = place.clientWidth / full.width;
  if (whole < 1) resize(Math.max(READABLE, whole));
  place.scrollTo(0, 0);
  place.addEventListener("keydown", (event) => {
    const act =
      event.ctrlKey || event.metaKey || event.altKey ? undefined : acts[event.key === "=" ? "+" : event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
  place.addEventListener("pointerdown", (event) => {
    // On a touch screen the browser itself scrolls the drawing.
    if (event.pointerType !== "mouse" || event.button !== 0) return;
    const [left, top] = [place.scrollLeft + event.clientX, place.scrollTop + event.clientY];
    place.setPointerCapture(event.pointerId);
    const move = ({ clientX, clientY }: PointerEvent) => place.scrollTo(left - clientX, top - clientY);
    place.addEventListener("pointermove", move);
    place.addEventListener("lostpointercapture", () => place.removeEventListener("pointermove", move), {
      once: true,
    });
  });
}

import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { STRINGS } from "../strings.ts";

interface PictureProps {
  readonly title: string;
  readonly height: number;
  /** Draws at a width, so that a letter has the same size in every picture. */
  readonly children: (width: number) => ComponentChildren;
  /** The same figures as a table, for those who do not see the picture. */
  readonly figures: readonly (readonly [name: string, value: string])[];
  /** What is wrong with the picture, or what its colours mean. */
  readonly note?: ComponentChildren;
}

/** Before the page has been laid out; no picture is narrower than the second. */
const [FIRST_WIDTH, LEAST_WIDTH] = [480, 220];
/** Tables of more figures are cut. */
const MOST_FIGURES = 200;

/** A picture of figures: drawn, saved as SVG, and told as a table. */
export function Picture({ title, height, children, figures, note }: PictureProps) {
  const svg = useRef<SVGSVGElement>(null);
  const [width, setWidth] = useState(FIRST_WIDTH);
  const [isTold, setTold] = useState(false);
  useEffect(() => {
    if (svg.current === null) return undefined;
    const watch = new ResizeObserver(([entry]) => {
      const drawn = Math.floor(entry?.contentRect.width ?? FIRST_WIDTH);
      setWidth(Math.max(LEAST_WIDTH, drawn));
    });
    watch.observe(svg.current);
    return () => watch.disconnect();
  }, []);
  return (
    <figure class="picture">
      <figcaption>
        <span>{title}</span>
        <button type="button" class="copy" onClick={() => svg.current && save(svg.current, title)}>
          {STRINGS.saveSvg}
        </button>
      </figcaption>
      <svg
        ref={svg}
        viewBox={`0 0 ${width} ${height}`}
        height={height}
        role="img"
        aria-label={title}
      >
        {children(width)}
      </svg>
      {note !== undefined && <p class="note">{note}</p>}
      <details onToggle={(event) => setTold(event.currentTarget.open)}>
        <summary>{STRINGS.asTable}</summary>
        {isTold && <Told figures={figures} />}
      </details>
    </figure>
  );
}

/** Figures as a table: those of the end where there are many. */
function Told({ figures }: Pick<PictureProps, "figures">) {
  return (
    <table class="small">
      <tbody>
        {figures.slice(-MOST_FIGURES).map(([name, value]) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td class="number">{value}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** What a style sheet gives the marks of a picture, written into its file. */
const DRAWN = ["fill", "stroke", "stroke-width", "font-size", "font-family", "text-anchor"];

function save(svg: SVGSVGElement, title: string): void {
  const copy = svg.cloneNode(true) as SVGSVGElement;
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  const [marks, copies] = [svg.querySelectorAll("*"), copy.querySelectorAll("*")];
  for (const [i, mark] of marks.entries()) {
    const style = getComputedStyle(mark);
    for (const name of DRAWN) copies[i]?.setAttribute(name, style.getPropertyValue(name));
  }
  const blob = new Blob([new XMLSerializer().serializeToString(copy)], { type: "image/svg+xml" });
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = `${title.replaceAll(/\W+/g, "-").toLowerCase()}.svg`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

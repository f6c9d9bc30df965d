import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import { STRINGS } from "../strings.ts";

interface PictureProps {
  readonly title: string;
  readonly width: number;
  readonly height: number;
  readonly children: ComponentChildren;
  /** The same figures as a table, for those who do not see the picture. */
  readonly figures: readonly (readonly [name: string, value: string])[];
}

/** A picture of figures: drawn, saved as SVG, and told as a table. */
export function Picture({ title, width, height, children, figures }: PictureProps) {
  const svg = useRef<SVGSVGElement>(null);
  return (
    <figure class="picture">
      <figcaption>
        {title}
        <button type="button" class="copy" onClick={() => svg.current && save(svg.current, title)}>
          {STRINGS.saveSvg}
        </button>
      </figcaption>
      <svg ref={svg} viewBox={`0 0 ${width} ${height}`} role="img" aria-label={title}>
        {children}
      </svg>
      <details>
        <summary>{STRINGS.asTable}</summary>
        <table class="small">
          <tbody>
            {figures.map(([name, value]) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td class="number">{value}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </figure>
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

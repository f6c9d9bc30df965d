import { useState } from "preact/hooks";
import type { Properties, PropertiesChange } from "../properties.ts";
import { STRINGS } from "../strings.ts";
import { later } from "./later.tsx";

const PropertyForm = later(async () => (await import("./property-form.tsx")).PropertyForm);

interface PropertyListProps {
  readonly properties: Properties;
  readonly onSave: (change: PropertiesChange) => Promise<unknown>;
}

/** Properties by name, in order, and the way to change them. */
export function PropertyList({ properties, onSave }: PropertyListProps) {
  const [isEdited, setEdited] = useState(false);
  const entries = Object.entries(properties).sort(([a], [b]) => (a < b ? -1 : 1));
  return (
    <section>
      <div class="above">
        <h2>{STRINGS.properties}</h2>
        <button type="button" class="last" onClick={() => setEdited(true)}>
          {STRINGS.editProperties}
        </button>
      </div>
      {entries.length === 0 ? (
        <p class="dim">{STRINGS.none}</p>
      ) : (
        <table class="small">
          <tbody>
            {entries.map(([name, value]) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td>{value}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {isEdited && (
        <PropertyForm properties={properties} onSave={onSave} onClose={() => setEdited(false)} />
      )}
    </section>
  );
}

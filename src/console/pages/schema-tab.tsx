import type { IcebergPage, PageField, PageSchema } from "../../api/page-operations.ts";
import { useLook } from "../navigation.ts";
import { type FieldChange, fieldText, schemaDiff } from "../schema-diff.ts";

/** The fields of one schema; nested ones under what holds them. */
export function Fields({ fields }: { readonly fields: readonly PageField[] }) {
  return (
    <table class="small">
      <thead>
        <tr>
          <th scope="col" class="number">
            Id
          </th>
          <th scope="col">Name</th>
          <th scope="col">Type</th>
          <th scope="col">Description</th>
        </tr>
      </thead>
      <tbody>
        {fields.map(({ id, name, type, required, doc }) => (
          <tr key={id}>
            <td class="number dim">{id}</td>
            <th scope="row">{name}</th>
            <td>
              <code>{type}</code>
              {required ? " not null" : ""}
            </td>
            <td>{doc}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Two schemas side by side, told apart by the ids of their fields. */
export function SchemaTab({
  iceberg: { schemas, currentSchemaId },
}: {
  readonly iceberg: IcebergPage;
}) {
  const older = schemas.filter(({ schemaId }) => schemaId !== currentSchemaId);
  const [from, setFrom] = useSchema("from", schemas, older[0]?.schemaId ?? currentSchemaId);
  const [to, setTo] = useSchema("to", schemas, currentSchemaId);
  const fieldsOf = (id: number) => schemas.find(({ schemaId }) => schemaId === id)?.fields ?? [];
  if (schemas.length < 2) return <Fields fields={fieldsOf(currentSchemaId)} />;
  return (
    <section>
      <p class="choices">
        <Choice label="From schema" schemas={schemas} value={from} onChange={setFrom} />
        <Choice label="to schema" schemas={schemas} value={to} onChange={setTo} />
      </p>
      <SchemaDiff changes={schemaDiff(fieldsOf(from), fieldsOf(to))} />
    </section>
  );
}

/** The schema that the address names, if the table has it. */
function useSchema(
  name: string,
  schemas: readonly PageSchema[],
  otherwise: number,
): readonly [number, (id: number) => void] {
  const [text, setText] = useLook(name);
  const found = schemas.find(({ schemaId }) => String(schemaId) === text);
  return [found?.schemaId ?? otherwise, (id) => setText(String(id))];
}

interface ChoiceProps {
  readonly label: string;
  readonly schemas: readonly PageSchema[];
  readonly value: number;
  readonly onChange: (value: number) => void;
}

function Choice({ label, schemas, value, onChange }: ChoiceProps) {
  return (
    <label>
      {label}{" "}
      <select value={value} onChange={(event) => onChange(Number(event.currentTarget.value))}>
        {schemas.map(({ schemaId }) => (
          <option key={schemaId} value={schemaId}>
            {schemaId}
          </option>
        ))}
      </select>
    </label>
  );
}

const MARKS: Readonly<Record<FieldChange["kind"], string>> = {
  added: "+",
  dropped: "−",
  changed: "~",
  same: "",
};

export function SchemaDiff({ changes }: { readonly changes: readonly FieldChange[] }) {
  return (
    <table class="small diff">
      <thead>
        <tr>
          <th scope="col">
            <span class="hidden">What happened</span>
          </th>
          <th scope="col" class="number">
            Id
          </th>
          <th scope="col">Before</th>
          <th scope="col">After</th>
        </tr>
      </thead>
      <tbody>
        {changes.map(({ id, before, after, kind }) => (
          <tr key={id} class={kind}>
            <td>
              <span aria-hidden="true">{MARKS[kind]}</span>
              <span class="hidden">{kind}</span>
            </td>
            <td class="number dim">{id}</td>
            <td>{before === undefined ? "" : fieldText(before)}</td>
            <td>{after === undefined ? "" : fieldText(after)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

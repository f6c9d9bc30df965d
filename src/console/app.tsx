import { useEffect, useState } from "preact/hooks";
import { isGone } from "./data.ts";
import { isHelpOpen, isJumpOpen } from "./keyboard.ts";
import { route } from "./navigation.ts";
import { CatalogView } from "./pages/catalog.tsx";
import { HomePage } from "./pages/home.tsx";
import { NamespaceView } from "./pages/namespace.tsx";
import { TableView } from "./pages/table.tsx";
import { ViewView } from "./pages/view.tsx";
import { Heading } from "./parts/heading.tsx";
import { Help } from "./parts/help.tsx";
import { Icon } from "./parts/icon.tsx";
import { Jump } from "./parts/jump.tsx";
import { later } from "./parts/later.tsx";
import { Link } from "./parts/link.tsx";
import { pathOf, type Route } from "./route.ts";
import { isOpenToAll, mustSignIn, signOut, who } from "./session.ts";
import { forgetStatements } from "./sql-history.ts";
import { STRINGS } from "./strings.ts";

const AccessPage = later(async () => (await import("./pages/access.tsx")).AccessPage);
const PrincipalView = later(async () => (await import("./pages/principal.tsx")).PrincipalView);
const ChangesPage = later(async () => (await import("./pages/changes.tsx")).ChangesPage);
const DroppedPage = later(async () => (await import("./pages/dropped.tsx")).DroppedPage);
const EnginePage = later(async () => (await import("./pages/engine.tsx")).EnginePage);
const ImportPage = later(async () => (await import("./pages/import.tsx")).ImportPage);
const JobsPage = later(async () => (await import("./pages/jobs.tsx")).JobsPage);
const SettingsPage = later(async () => (await import("./pages/settings.tsx")).SettingsPage);
const SignIn = later(async () => (await import("./pages/sign-in.tsx")).SignIn);
const SqlPage = later(async () => (await import("./pages/sql.tsx")).SqlPage);

const SECTIONS = [
  "sql",
  "changes",
  "jobs",
  "import",
  "dropped",
  "access",
  "engine",
  "settings",
] as const;

export function App() {
  return (
    <>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <Header />
      <div class="body">
        {isGone.value && (
          <p class="gone" role="alert">
            {STRINGS.gone}
          </p>
        )}
        <main id="main" key={who.value?.principal}>
          {mustSignIn.value ? (
            <SignIn />
          ) : (
            <>
              <Crumbs />
              <View />
            </>
          )}
        </main>
      </div>
      <Jump />
      <Help />
    </>
  );
}

function Header() {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => setOpen(false), [route.value]);
  return (
    <header class={isOpen ? "open" : undefined}>
      <Link class="brand" to={{ view: "home" }}>
        <Logo />
        {STRINGS.product}
      </Link>
      {!mustSignIn.value && <Ways isOpen={isOpen} onMenu={() => setOpen(!isOpen)} />}
      <div class="session">
        <Who />
        <button
          type="button"
          class="quiet"
          onClick={() => {
            isHelpOpen.value = true;
          }}
        >
          {STRINGS.keys} <kbd>?</kbd>
        </button>
      </div>
    </header>
  );
}

/** Where one may go. */
function Ways({ isOpen, onMenu }: { readonly isOpen: boolean; readonly onMenu: () => void }) {
  const { view } = route.value;
  return (
    <>
      <button
        type="button"
        class="menu"
        aria-label={STRINGS.sections}
        aria-expanded={isOpen}
        aria-controls="sections"
        onClick={onMenu}
      >
        <Icon name="menu" />
      </button>
      <button
        type="button"
        class="search"
        onClick={() => {
          isJumpOpen.value = true;
        }}
      >
        {STRINGS.jump} <kbd>/</kbd>
      </button>
      <nav id="sections" aria-label={STRINGS.sections}>
        <Section view="home" isCurrent={!SECTIONS.some((section) => isIn(section, view))} />
        {SECTIONS.map((section) => (
          <Section key={section} view={section} isCurrent={isIn(section, view)} />
        ))}
      </nav>
    </>
  );
}

function isIn(section: string, view: string): boolean {
  return section === view || (section === "access" && view === "principal");
}

interface SectionProps {
  readonly view: "home" | (typeof SECTIONS)[number];
  readonly isCurrent: boolean;
}

function Section({ view, isCurrent }: SectionProps) {
  return (
    <Link to={{ view }} isCurrent={isCurrent}>
      <Icon name={view} />
      {STRINGS[view]}
    </Link>
  );
}

/** Who the requests are of. */
function Who() {
  if (who.value === undefined) {
    return isOpenToAll.value ? (
      <p class="open-mark">
        <Icon name="warning" />
        <span>{STRINGS.openToAll}</span>
      </p>
    ) : null;
  }
  return (
    <p class="actions">
      <span>
        {STRINGS.signedInAs} <strong>{who.value.principal}</strong>
      </span>
      <button
        type="button"
        onClick={() => {
          forgetStatements();
          signOut().catch(() => {
            isGone.value = true;
          });
        }}
      >
        {STRINGS.signOut}
      </button>
    </p>
  );
}

function Logo() {
  return (
    <svg viewBox="0 0 16 16" width="20" height="20" aria-hidden="true">
      <path d="M1 12h14M2.5 9h11M4.5 6h7M6.5 3h3" class="logo" />
    </svg>
  );
}

function above(shown: Route): readonly (readonly [Route, string])[] {
  if (shown.view === "principal") return [[{ view: "access" }, STRINGS.access]];
  if (!("catalog" in shown)) return [];
  const { catalog } = shown;
  const root = [{ view: "catalog", catalog }, catalog] as const;
  if (shown.view === "catalog") return [];
  const isInside = shown.view !== "namespace";
  const levels = shown.namespace.slice(0, isInside ? undefined : -1);
  return [
    root,
    ...levels.map(
      (name, i) =>
        [{ view: "namespace", catalog, namespace: shown.namespace.slice(0, i + 1) }, name] as const,
    ),
  ];
}

function Crumbs() {
  const links = above(route.value);
  if (links.length === 0) return null;
  return (
    <nav class="crumbs" aria-label="Where it is">
      <ol>
        {links.map(([to, name]) => (
          <li key={pathOf(to)}>
            <Link to={to}>{name}</Link>
          </li>
        ))}
      </ol>
    </nav>
  );
}

function View() {
  const shown = route.value;
  switch (shown.view) {
    case "home":
      return <HomePage />;
    case "sql":
      return <SqlPage />;
    case "changes":
      return <ChangesPage />;
    case "jobs":
      return <JobsPage />;
    case "dropped":
      return <DroppedPage />;
    case "access":
      return <AccessPage />;
    case "principal":
      return <PrincipalView key={pathOf(shown)} name={shown.name} />;
    case "import":
      return <ImportPage />;
    case "engine":
      return <EnginePage />;
    case "settings":
      return <SettingsPage />;
    case "catalog":
      return <CatalogView key={pathOf(shown)} catalog={shown.catalog} />;
    case "namespace":
      return (
        <NamespaceView key={pathOf(shown)} catalog={shown.catalog} namespace={shown.namespace} />
      );
    case "table": {
      const { catalog, namespace, table, tab } = shown;
      return (
        <TableView
          key={pathOf({ ...shown, tab: "overview" })}
          {...{ catalog, namespace, table, tab }}
        />
      );
    }
    case "view":
      return (
        <ViewView
          key={pathOf(shown)}
          catalog={shown.catalog}
          namespace={shown.namespace}
          name={shown.name}
        />
      );
    case "unknown":
      return (
        <>
          <Heading name="Not found" />
          <p>{STRINGS.notFound}</p>
        </>
      );
  }
}

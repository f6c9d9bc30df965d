import { isGone } from "./data.ts";
import { isHelpOpen, isJumpOpen } from "./keyboard.ts";
import { route } from "./navigation.ts";
import { CatalogView } from "./pages/catalog.tsx";
import { ChangesPage } from "./pages/changes.tsx";
import { DroppedPage } from "./pages/dropped.tsx";
import { EnginePage } from "./pages/engine.tsx";
import { HomePage } from "./pages/home.tsx";
import { JobsPage } from "./pages/jobs.tsx";
import { NamespaceView } from "./pages/namespace.tsx";
import { SettingsPage } from "./pages/settings.tsx";
import { SignIn } from "./pages/sign-in.tsx";
import { TableView } from "./pages/table.tsx";
import { ViewView } from "./pages/view.tsx";
import { Help } from "./parts/help.tsx";
import { Jump } from "./parts/jump.tsx";
import { later } from "./parts/later.tsx";
import { Link } from "./parts/link.tsx";
import { pathOf, type Route } from "./route.ts";
import { isOpenToAll, mustSignIn, signOut, who } from "./session.ts";
import { forgetStatements } from "./sql-history.ts";
import { STRINGS } from "./strings.ts";

const AccessPage = later(async () => (await import("./pages/access.tsx")).AccessPage);
const PrincipalView = later(async () => (await import("./pages/principal.tsx")).PrincipalView);
const SqlPage = later(async () => (await import("./pages/sql.tsx")).SqlPage);

const SECTIONS = ["sql", "changes", "jobs", "dropped", "access", "engine", "settings"] as const;

export function App() {
  return (
    <>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <Header />
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
      <footer>
        <Who />
      </footer>
      <Jump />
      <Help />
    </>
  );
}

function Header() {
  const { view } = route.value;
  return (
    <header>
      <Link class="brand" to={{ view: "home" }} isCurrent={view === "home"}>
        <Logo />
        {STRINGS.product}
      </Link>
      <button
        type="button"
        class="search"
        onClick={() => {
          isJumpOpen.value = true;
        }}
      >
        {STRINGS.jump} <kbd>/</kbd>
      </button>
      <nav aria-label="Sections">
        {SECTIONS.map((section) => (
          <Link key={section} to={{ view: section }} isCurrent={view === section}>
            {STRINGS[section]}
          </Link>
        ))}
        <button
          type="button"
          aria-label={STRINGS.keys}
          onClick={() => {
            isHelpOpen.value = true;
          }}
        >
          ?
        </button>
      </nav>
    </header>
  );
}

/** Who the requests are of. */
function Who() {
  if (who.value === undefined) {
    return isOpenToAll.value ? <span class="open-mark">{STRINGS.openToAll}</span> : null;
  }
  return (
    <p class="actions">
      <span>
        {STRINGS.signedInAs} {who.value.principal}
      </span>
      <button
        type="button"
        onClick={() => {
          forgetStatements();
          signOut();
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
          <h1 tabIndex={-1}>Not found</h1>
          <p>{STRINGS.notFound}</p>
        </>
      );
  }
}

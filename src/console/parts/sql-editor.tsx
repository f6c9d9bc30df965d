import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { PostgreSQL } from "@codemirror/lang-sql";
import { bracketMatching, HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { EditorView, keymap } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { SqlNames } from "../sql-names.ts";
import { closeOffers, sqlCompletion } from "./sql-completion.ts";

/** What a page does with the text of its editor. */
export interface SqlText {
  read(): string;
  /** Replaces the text, and goes there. */
  load(text: string): void;
  /** Goes to a place, and selects what stands there. */
  show(offset: number): void;
}

interface SqlEditorProps {
  readonly label: string;
  readonly initial: string;
  /** Ctrl Enter. */
  readonly onRun: () => void;
  readonly text: RefObject<SqlText | null>;
  /** What it offers while one writes. */
  readonly names: SqlNames;
}

const COLOURS = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword], color: "var(--accent)", fontWeight: "600" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--good)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--warn)" },
  { tag: [tags.comment, tags.lineComment, tags.blockComment], color: "var(--dim)" },
]);

const LOOK = EditorView.theme({
  "&": {
    minHeight: "12rem",
    maxHeight: "60vh",
    overflow: "auto",
    resize: "vertical",
    color: "var(--ink)",
    background: "var(--paper)",
    border: "1px solid var(--edge)",
    borderRadius: "8px",
  },
  "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "1px" },
  ".cm-scroller": { font: "0.87rem / 1.5 var(--mono)", minHeight: "12rem" },
  ".cm-content": { padding: "0.7rem 0", caretColor: "var(--ink)" },
  ".cm-line": { padding: "0 0.9rem" },
  "&.cm-focused .cm-matchingBracket": { background: "var(--line)" },
  ".cm-tooltip": {
    color: "var(--ink)",
    background: "var(--raised)",
    border: "1px solid var(--line)",
    borderRadius: "8px",
    overflow: "hidden",
    boxShadow: "0 4px 16px rgb(0 0 0 / 0.2)",
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": { font: "0.87rem / 1.5 var(--mono)" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": {
    display: "flex",
    gap: "1.5rem",
    justifyContent: "space-between",
    padding: "0.15rem 0.6rem",
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]": {
    color: "var(--raised)",
    background: "var(--accent)",
  },
  ".cm-completionLabel": { overflow: "hidden", textOverflow: "ellipsis" },
  ".cm-completionMatchedText": { textDecoration: "none", fontWeight: "700" },
  ".cm-completionDetail": { margin: "0", fontStyle: "normal", color: "var(--dim)" },
  "li[aria-selected] .cm-completionDetail": { color: "inherit" },
});

/**
 * Text over a selection. The browser's own way would keep the look of what it replaces, as style
 * text that the policy of the console refuses.
 */
const REPLACES = EditorView.domEventHandlers({
  beforeinput: (event, view) => {
    const { inputType, data } = event;
    const { state } = view;
    if (inputType !== "insertText" || data === null || state.selection.main.empty) return false;
    event.preventDefault();
    view.dispatch(state.replaceSelection(data), { userEvent: "input.type", scrollIntoView: true });
    return true;
  },
});

/** Names that come after the focus has gone would lie over what it went to. */
const LEAVES = EditorView.domEventHandlers({
  blur: (_event, view) => {
    setTimeout(() => closeOffers(view));
  },
});

/**
 * An editor of SQL: colours, brackets, undo. It lies in a shadow root, where its style sheets are
 * objects of the page: the policy of the console refuses elements with style text. The tab key
 * leaves it, as it leaves any field.
 */
export function SqlEditor({ label, initial, onRun, text, names }: SqlEditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const run = useRef(onRun);
  run.current = onRun;
  const known = useRef(names);
  known.current = names;
  useEffect(() => {
    if (host.current === null) return undefined;
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: "open" });
    const runs = () => {
      closeOffers(view);
      run.current();
      return true;
    };
    const view = new EditorView({
      doc: initial,
      root,
      parent: root,
      extensions: [
        keymap.of([{ key: "Mod-Enter", run: runs }, ...defaultKeymap, ...historyKeymap]),
        history(),
        bracketMatching(),
        PostgreSQL.language,
        sqlCompletion(() => known.current),
        syntaxHighlighting(COLOURS),
        LOOK,
        REPLACES,
        LEAVES,
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ "aria-label": label, autocapitalize: "off" }),
      ],
    });
    text.current = textOf(view);
    return () => {
      text.current = null;
      view.destroy();
    };
  }, []);
  return <div ref={host} class="editor" />;
}

function textOf(view: EditorView): SqlText {
  return {
    read: () => view.state.doc.toString(),
    load: (insert) => {
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert } });
      view.focus();
    },
    show: (offset) => {
      const anchor = Math.min(offset, view.state.doc.length);
      const head = Math.min(anchor + 1, view.state.doc.length);
      view.dispatch({ selection: { anchor, head }, scrollIntoView: true });
      view.focus();
    },
  };
}

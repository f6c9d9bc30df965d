import { render } from "preact";
import { App } from "./app.tsx";
import { listenToKeys } from "./keyboard.ts";

listenToKeys();
const root = document.getElementById("app");
if (root !== null) render(<App />, root);

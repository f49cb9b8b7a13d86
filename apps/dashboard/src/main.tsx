import { createRoot } from "react-dom/client";
import { App } from "./app.tsx";
import { guardHtml } from "./platform/trusted-html.ts";
import { printInTheLight } from "./ui/look/print.ts";

guardHtml();
printInTheLight();
const root = document.getElementById("root");
if (root !== null) createRoot(root).render(<App />);

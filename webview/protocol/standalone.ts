/** The page with its data in one HTML file that loads nothing. Needs no browser: the server and the command line write it. */
import type { PreviewState, ToPage } from './messages.ts';

/** Id of the element with the data. */
export const standaloneData = 'pipewright-data';

export interface StandaloneSources {
  /** Bundled script and style of the page. */
  readonly script: string;
  readonly style: string;
  /** SHA-256 of a text's UTF-8 bytes, in base64. */
  hash(text: string): string;
}

export interface StandalonePage {
  readonly message: Extract<ToPage, { readonly type: 'plan' }>;
  readonly state?: PreviewState;
}

/** What editors give the page as variables, in a light theme. */
const light = {
  'editor-background': '#ffffff',
  'editor-foreground': '#3b3b3b',
  'editorWidget-background': '#f8f8f8',
  'widget-border': '#d4d4d4',
  'panel-border': '#d4d4d4',
  focusBorder: '#005fb8',
  'textLink-foreground': '#005fb8',
  'button-background': '#005fb8',
  'button-foreground': '#ffffff',
  'button-secondaryBackground': '#e5e5e5',
  'button-secondaryForeground': '#3b3b3b',
  'input-background': '#ffffff',
  'input-foreground': '#3b3b3b',
  'input-border': '#a0a0a0',
  'toolbar-hoverBackground': '#ececec',
} as const;

/** The same where the reader's system is dark. */
const dark: Readonly<Record<keyof typeof light, string>> = {
  'editor-background': '#1f1f1f',
  'editor-foreground': '#cccccc',
  'editorWidget-background': '#252526',
  'widget-border': '#454545',
  'panel-border': '#454545',
  focusBorder: '#3a9bed',
  'textLink-foreground': '#4daafc',
  'button-background': '#0e639c',
  'button-foreground': '#ffffff',
  'button-secondaryBackground': '#3a3d41',
  'button-secondaryForeground': '#ffffff',
  'input-background': '#313131',
  'input-foreground': '#cccccc',
  'input-border': '#858585',
  'toolbar-hoverBackground': '#35373a',
};

const fonts = '--vscode-font-family:system-ui, Helvetica, Arial, "DejaVu Sans", sans-serif;';
const variables = (colours: Readonly<Record<string, string>>): string =>
  Object.entries(colours)
    .map(([name, value]) => `--vscode-${name}:${value};`)
    .join('');
/** Style of a page without an editor: light or dark, as the reader's system is. */
export const themes = `:root{color-scheme:light dark;${fonts}${variables(light)}}
@media (prefers-color-scheme:dark){:root{${variables(dark)}}}`;

/** Params cannot be tried without an editor, and the file's folder is nobody's business. */
export function withoutEditor(page: StandalonePage): StandalonePage {
  const { message, state } = page;
  const { title } = message;
  const plan = { ...message.plan, file: title, params: [] };
  return {
    message: { ...message, uri: title, plan, overrides: {} },
    ...(state === undefined ? {} : { state: { ...state, uri: title, overrides: {}, following: undefined } }),
  };
}

export function standaloneHtml({ script, style, hash }: StandaloneSources, page: StandalonePage): string {
  const { message } = page;
  const css = `${themes}\n${style.replaceAll('</', '<\\/')}`;
  // Neither may end the element that holds it. Both escapes mean the same inside texts and patterns.
  const code = script.replaceAll(/<(?=\/script|!--)/gi, '\\x3C');
  const data = JSON.stringify(withoutEditor(page)).replaceAll('<', '\\u003c');
  const policy = [
    "default-src 'none'",
    `script-src 'sha256-${hash(code)}'`,
    `style-src 'sha256-${hash(css)}'`,
    'worker-src blob:',
    'img-src blob: data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${htmlText(message.title)}</title>
<style>${css}</style>
</head>
<body class="vscode-light">
<main id="preview"></main>
<script type="application/json" id="${standaloneData}">${data}</script>
<script>${code}</script>
</body>
</html>
`;
}

const htmlText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

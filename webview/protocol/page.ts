/** The document of the preview. Needs no browser: the extension writes it. */
export interface PageSources {
  /** Unguessable, new for each document. */
  readonly nonce: string;
  /** `webview.cspSource`. */
  readonly cspSource: string;
  readonly scriptUri: string;
  readonly styleUri: string;
}

/** Nothing is allowed but this page's script and style, and workers made from the script's own text. No inline styles. */
export const contentSecurityPolicy = ({ nonce, cspSource }: Pick<PageSources, 'nonce' | 'cspSource'>): string =>
  [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src ${cspSource}`,
    `font-src ${cspSource}`,
    `img-src ${cspSource} blob:`,
    'worker-src blob:',
    `connect-src ${cspSource}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');

export function previewHtml(sources: PageSources): string {
  const text = (value: string) => value.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${text(contentSecurityPolicy(sources))}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Pipeline preview</title>
<link rel="stylesheet" href="${text(sources.styleUri)}">
</head>
<body>
<main id="preview"></main>
<script nonce="${text(sources.nonce)}" src="${text(sources.scriptUri)}"></script>
</body>
</html>
`;
}

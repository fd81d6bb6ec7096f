/**
 * Links to pages of the documentation in hovers. Editors take links to an extension out of hovers, so a command opens the page. It is
 * written here, never by the server: texts of files cannot hold one, and it opens only pages that come with the extension. The codes
 * of diagnostics keep their links: editors follow them there, and run no command.
 */
import * as vscode from 'vscode';
import type { Middleware } from 'vscode-languageclient';
import { splitPageLinks } from './splitPageLinks.ts';

const command = 'pipewright.openPage';

const commandLink = (page: string): string => `command:${command}?${encodeURIComponent(JSON.stringify([page]))}`;

/** `folder`: uri of the folder of pages, with a slash at the end. */
export const pageLinks = (folder: string): Pick<Middleware, 'provideHover'> => ({
  async provideHover(document, position, token, next) {
    const hover = await next(document, position, token);
    if (hover === null || hover === undefined) return hover;
    return new vscode.Hover(
      hover.contents.flatMap((content): readonly (typeof content)[] =>
        content instanceof vscode.MarkdownString ? withLinks(content, folder) : [content],
      ),
      hover.range,
    );
  },
});

/** The text without its links to pages, then the links alone: they are trusted with one command, and the text with none. */
function withLinks(content: vscode.MarkdownString, folder: string): readonly vscode.MarkdownString[] {
  const { text, links } = splitPageLinks(content.value, folder);
  if (links.length === 0) return [content];
  const rest = new vscode.MarkdownString(text);
  rest.isTrusted = content.isTrusted;
  rest.supportHtml = content.supportHtml;
  const row = new vscode.MarkdownString(links.map(({ label, page }) => `[${label}](${commandLink(page)})`).join(' · '));
  row.isTrusted = { enabledCommands: [command] };
  return [rest, row];
}

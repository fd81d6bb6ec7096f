import { pagePath } from './pagePath.ts';

interface PageLink {
  readonly label: string;
  readonly page: string;
}

/** Takes the links to pages of the documentation out of Markdown. Labels are plain words; everything else stays in the text. */
export function splitPageLinks(
  markdown: string,
  folder: string,
): { readonly text: string; readonly links: readonly PageLink[] } {
  const links: PageLink[] = [];
  const text = markdown.replaceAll(/\[([\w ,]+)\]\(([^()\s]+)\)/g, (whole, label: string, page: string) => {
    const [path] = page.slice(folder.length).split('#');
    if (!page.startsWith(folder) || pagePath(`/docs/${path}`) === undefined) return whole;
    links.push({ label, page });
    return '';
  });
  return links.length === 0 ? { text: markdown, links } : { text: text.trimEnd(), links };
}

/**
 * Builds the documentation as a site: `npm run site`. Its packages are those of `site/package.json`, which are installed if they are not
 * there. The result, `out/site`, loads nothing from elsewhere. Its folder `playground` has the playground, in
 * which each example opens.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './build.ts';
import { buildPlayground } from './playground.ts';
import { allFiles } from './site/files.ts';
import { movedPages } from './site/moved.ts';
import { linkedPictures, sitePages } from './site/pages.ts';

const site = path.join(root, 'site');

/** Writes `site/pages`: what the site is built from. */
async function writePages(folder = path.join(site, 'pages')): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  const pages = await sitePages((file) => readFileSync(path.join(root, file), 'utf8'), allFiles(root));
  for (const [name, text] of [...pages, ...movedPages()]) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text);
  }
  // Files outside the pages lie in `public`, by their names.
  mkdirSync(path.join(folder, 'public'), { recursive: true });
  cpSync(path.join(root, 'images', 'icon.png'), path.join(folder, 'public', 'icon.png'));
  for (const pictures of ['docs/images', 'images'])
    cpSync(path.join(root, pictures), path.join(folder, path.basename(pictures)), { recursive: true });
  for (const picture of linkedPictures(pages.values()))
    cpSync(path.join(root, 'docs', picture), path.join(folder, 'public', picture), { recursive: true });
}

if (import.meta.main) {
  if (!existsSync(path.join(site, 'node_modules', 'vitepress')))
    execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: site, stdio: 'inherit' });
  await writePages();
  execFileSync(process.execPath, [path.join(site, 'node_modules', 'vitepress', 'bin', 'vitepress.js'), 'build', site], {
    cwd: site,
    stdio: 'inherit',
  });
  await buildPlayground(path.join(root, 'out', 'site', 'playground'));
  console.log(path.relative(process.cwd(), path.join(root, 'out', 'site')));
}

/** Bundles everything that is shipped into `dist/`. `--watch` builds again on every change. */
import { chmodSync, copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import path from 'node:path';
import * as esbuild from 'esbuild';
import { assets, writeAssets } from './assets.ts';
import { exampleCards } from './exampleCards.ts';
import { minifyFiles } from './minified.ts';
import { noticesOf, packageFolder } from './notices.ts';
import { inlinePlugin } from '../webview/build/inlinePlugin.mjs';

export const root = path.resolve(import.meta.dirname, '..');
const dist = path.join(root, 'dist');

const withSourceMaps = Boolean(process.env['PIPEWRIGHT_SOURCEMAPS']);
const shared: esbuild.BuildOptions = {
  absWorkingDir: root,
  bundle: true,
  minify: true,
  keepNames: false,
  sourcemap: withSourceMaps ? 'linked' : false,
  legalComments: 'none',
  metafile: true,
  logLevel: 'warning',
};
/** What VS Code 1.91 and `engines.node` run: Node 20. */
const node: esbuild.BuildOptions = { ...shared, platform: 'node', target: 'node20' };
/** Packages in CommonJS call `require` for Node's own modules, which a module imports. Files that browsers share import none. */
const nodeModules: esbuild.Plugin = {
  name: 'node modules',
  setup({ onResolve, onLoad }) {
    const own = new Set(builtinModules);
    onResolve({ filter: /^(node:)?[a-z_/]+$/ }, ({ path: name, kind }) =>
      kind === 'require-call' && own.has(name.replace(/^node:/, ''))
        ? { path: name.replace(/^node:/, ''), namespace: 'node' }
        : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'node' }, ({ path: name }) => ({
      contents: `export * from 'node:${name}'; export { default } from 'node:${name}';`,
    }));
  },
};
const protocol = (name: string): string => path.join(root, 'node_modules', name, 'lib', 'browser', 'main.js');
const browserPackages = [
  'vscode-jsonrpc',
  'vscode-languageserver-protocol',
  'vscode-languageserver',
  'vscode-languageclient',
];
/** Packages in what both sides can run. */
const browserAlias = {
  ...Object.fromEntries(browserPackages.map((name) => [`${name}/browser`, protocol(name)])),
  yaml: path.join(root, 'node_modules', 'yaml', 'browser', 'dist', 'index.js'),
};
const module: esbuild.BuildOptions = {
  ...node,
  format: 'esm',
  mainFields: ['module', 'main'],
  plugins: [nodeModules],
  alias: browserAlias,
};
const version = (JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { readonly version: string })
  .version;
/** What a worker cannot read from the manifest. */
const define = { PIPEWRIGHT_VERSION: JSON.stringify(version) };

/** What scripts of a page in a browser are bundled with. */
export const browserBundle: esbuild.BuildOptions = {
  ...shared,
  format: 'iife',
  platform: 'browser',
  target: ['es2022', 'chrome120'],
  mainFields: ['module', 'main'],
  alias: browserAlias,
  define,
};

/** Names of the files that several programs share begin so. */
const sharedPrefix = 'shared-';

/** Files in `dist` that several programs share. */
export const sharedFiles = (folder: string): readonly string[] =>
  readdirSync(folder).filter((name) => name.startsWith(sharedPrefix) && name.endsWith('.js'));

/** The command, the server, also for browsers, and the threads that they start. What several of these programs need is a file that they share. */
const commandIn = (dist: string): esbuild.BuildOptions => ({
  ...module,
  entryPoints: {
    server: 'platform/node/main.ts',
    'server.browser': 'platform/browser/main.ts',
    cli: 'cli/main.ts',
    thread: 'platform/node/thread.ts',
    rasterThread: 'platform/node/rasterThread.ts',
    runThread: 'platform/node/runs/runThread.ts',
    watchdogThread: 'platform/node/watchdogThread.ts',
  },
  outdir: dist,
  define,
  splitting: true,
  chunkNames: `${sharedPrefix}[hash]`,
});

/** Bundles in the folder `dist`. `made` hears of what is inside a bundle as text. */
const bundlesIn = (dist: string, made?: (result: esbuild.Metafile) => void): readonly esbuild.BuildOptions[] => [
  // The editor loads an extension of a package of modules as CommonJS only under this ending.
  {
    ...node,
    entryPoints: ['platform/node/extension.ts'],
    outfile: path.join(dist, 'extension.cjs'),
    format: 'cjs',
    external: ['vscode'],
    mainFields: ['module', 'main'],
  },
  {
    ...shared,
    entryPoints: ['platform/browser/extension.ts'],
    outfile: path.join(dist, 'extension.browser.cjs'),
    format: 'cjs',
    platform: 'browser',
    target: 'chrome120',
    external: ['vscode'],
  },
  commandIn(dist),
  {
    ...shared,
    entryPoints: { preview: 'webview/main.ts' },
    outdir: dist,
    format: 'iife',
    platform: 'browser',
    target: ['es2022', 'chrome120'],
    plugins: [inlinePlugin(esbuild, { examples: () => JSON.stringify(exampleCards()) }, made)],
  },
  { ...shared, entryPoints: { preview: 'webview/preview.css' }, outdir: dist, target: 'chrome120' },
];

/** Throws where a bundle cannot be made; esbuild has then said why on standard error. */
export async function build(into = dist): Promise<void> {
  mkdirSync(into, { recursive: true });
  for (const name of sharedFiles(into)) rmSync(path.join(into, name));
  const made: esbuild.Metafile[] = [];
  const [results] = await Promise.all([
    Promise.all(bundlesIn(into, (result) => void made.push(result)).map((options) => esbuild.build(options))),
    writeAssets(into),
  ]);
  made.push(...results.flatMap(({ metafile }) => metafile ?? []));
  // A map would no longer fit.
  if (!withSourceMaps) await minifyAll(results);
  chmodSync(path.join(into, 'cli.js'), 0o755);
  writeFileSync(path.join(into, notices), noticesOf(packagesOf(made, Object.values(assets))));
}

async function minifyAll(results: readonly esbuild.BuildResult[]): Promise<void> {
  const files = results
    .flatMap(({ metafile }) => Object.keys(metafile?.outputs ?? {}))
    .map((file) => path.resolve(root, file));
  const scripts = ['.cjs', `${path.sep}preview.js`];
  const isScript = (file: string): boolean => scripts.some((ending) => file.endsWith(ending));
  await minifyFiles(files.filter(isScript), false);
  await minifyFiles(
    files.filter((file) => file.endsWith('.js') && !isScript(file)),
    true,
  );
}

/** Makes the command alone, into the folder `dist` of a package: it starts in a third of the time that its sources take. */
export async function buildCommand(folder: string): Promise<void> {
  const into = path.join(folder, 'dist');
  mkdirSync(into, { recursive: true });
  copyFileSync(path.join(root, 'package.json'), path.join(folder, 'package.json'));
  await esbuild.build({ ...commandIn(into), minify: false });
}

/** Licences of other people's code in the bundles and among the assets. */
export const notices = 'THIRD_PARTY_NOTICES.txt';

/** The licences of what bundles are made of. */
export const noticesIn = (made: readonly esbuild.Metafile[]): string => noticesOf(packagesOf(made, []));

/** Folders of the packages of which bundles and assets are made. A package that the bundler left out again has no bytes in any. */
function packagesOf(made: readonly esbuild.Metafile[], copied: readonly string[]): ReadonlySet<string> {
  const inputs = made
    .flatMap(({ outputs }) => Object.values(outputs))
    .flatMap((output) => Object.entries(output.inputs))
    .flatMap(([file, { bytesInOutput }]) => (bytesInOutput > 0 ? [file] : []));
  const folders = [...inputs, ...copied].flatMap((file) => packageFolder(file) ?? []);
  return new Set(folders.map((folder) => path.resolve(root, folder)));
}

/** Prints a line when all bundles begin and one when all are made; the editor's task waits for these. */
function announce(): esbuild.Plugin {
  let running = 0;
  let failures = 0;
  return {
    name: 'announce',
    setup(bundle) {
      bundle.onStart(() => {
        if (running === 0) console.log('Building …');
        running += 1;
      });
      bundle.onEnd(({ errors }) => {
        running -= 1;
        failures += errors.length;
        if (running > 0) return;
        console.log(failures === 0 ? 'Built dist/' : `Built dist/ with ${failures} errors`);
        failures = 0;
      });
    },
  };
}

/** Builds on every change, readable and with source maps, until the process ends. */
async function watch(): Promise<void> {
  mkdirSync(dist, { recursive: true });
  await writeAssets(dist);
  const announcement = announce();
  const contexts = await Promise.all(
    bundlesIn(dist).map((options) =>
      esbuild.context({
        ...options,
        minify: false,
        sourcemap: 'linked',
        plugins: [...(options.plugins ?? []), announcement],
      }),
    ),
  );
  await Promise.all(contexts.map((context) => context.watch()));
}

if (import.meta.main) await (process.argv.includes('--watch') ? watch() : build());

/** Loads the extension as an editor does, with an editor that does nothing, and prints the CPU milliseconds of loading and activating. */
import { readFileSync } from 'node:fs';
import module, { createRequire } from 'node:module';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../..');
const require = createRequire(import.meta.url);

/** Anything: it can be called, constructed and asked for more of itself. */
const anything: object = new Proxy(function any() {}, {
  get: (target, key) => {
    if (key === 'then') return undefined;
    if (key === 'prototype') return target.prototype as unknown;
    if (key === Symbol.toPrimitive) return () => '';
    if (key === Symbol.iterator) return () => [][Symbol.iterator]();
    return anything;
  },
  apply: () => anything,
  construct: () => anything,
  set: () => true,
});
const types = readFileSync(require.resolve('@types/vscode/index.d.ts'), 'utf8');
const names = [...types.matchAll(/export (?:class|enum|namespace|const|function) (\w+)/g)].map(([, name]) => name);
const editor = { ...Object.fromEntries(names.map((name) => [name, anything])), version: '1.120.0' };

const loader = module as unknown as { _load(name: string, ...rest: readonly unknown[]): unknown };
const load = loader._load;
loader._load = (name, ...rest) => (name === 'vscode' ? editor : load(name, ...rest));

const before = process.threadCpuUsage();
const extension = require(path.join(root, 'dist', 'extension.cjs')) as { activate(context: unknown): void };
extension.activate({ ...editor, subscriptions: [], extensionUri: anything, extension: anything });
const { user, system } = process.threadCpuUsage(before);
console.log((user + system) / 1000);
// What it has started would go on.
process.exit();

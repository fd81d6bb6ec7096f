import { describe, expect, test } from 'vitest';
import { edited, good } from '../../support/goodFile.ts';
import { hostOf, refusedFiles } from '../../support/host.ts';
import { checkFindings } from '../../support/expected.ts';
import { resolveText } from '../../support/resolve.ts';

const hardware =
  'device v100 { memory = 16GiB }\ncluster box { gpu[4] = v100  link = 25GB/s + 5us }\nparam speed = 2 in 1..4\nlet twice = 2 * speed\n';
const main = (first: string) => `${first}
model toy { layer block[8] { forward = 4ms  backward = 8ms } }
pipeline train { model = toy  devices = box  microbatches = 4 * twice  stages = balance(4)  schedule = 1f1b }
`;

describe('imports', () => {
  test('bring in names, one by one or all', () => {
    const all = checkFindings(main('import "hw.pipe"'), [], { files: { 'hw.pipe': hardware } });
    expect(all.plan.pipelines[0].microbatches).toBe(16);
    expect(all.plan.params).toMatchObject([{ name: 'speed', value: 2, local: false }]);
    expect(all.imports).toEqual(['file:///project/hw.pipe']);
    expect(all.symbols.symbols.get('cluster:box')?.declaration?.uri).toBe('file:///project/hw.pipe');
    const named = checkFindings(main('import { box, twice } from "hw.pipe"'), [], { files: { 'hw.pipe': hardware } });
    expect(named.plan.pipelines).toEqual(all.plan.pipelines);
    expect(named.plan.params).toEqual([]);
  });
  test('do not hand on what they import themselves', () => {
    const files = { 'a.pipe': 'import "hw.pipe"\nlet other = twice', 'hw.pipe': hardware };
    checkFindings('import "a.pipe"\nlet x = ⟦name/unknown:twice⟧ + other', [], { files });
  });
  test('overrides reach imported params', () => {
    const { plan } = resolveText(main('import "hw.pipe"'), { files: { 'hw.pipe': hardware }, overrides: { speed: 3 } });
    expect(plan.pipelines[0].microbatches).toBe(24);
  });
  test('std:hardware', () => {
    const { plan } = checkFindings(
      edited('device v100 { memory = 16GiB  reserved = 1GiB }', 'import { h100 } from "std:hardware"').replace(
        '= v100',
        '= h100',
      ),
    );
    expect(plan.pipelines[0].devices[0].kind).toBe('h100');
    checkFindings('import ⟦import/not-found:"std:hardwar"⟧');
  });
  test('that are not there, outside or unreadable: one finding, nothing follows', () => {
    checkFindings(main('import ⟦import/not-found:"gone.pipe"⟧'));
    checkFindings(main('import { box, twice } from ⟦import/outside-workspace:"outside.pipe"⟧'), [], {
      files: refusedFiles,
    });
    checkFindings(main('import ⟦import/unreadable:"locked.pipe"⟧'), ['permission denied'], { files: refusedFiles });
  });
  test('of paths that no host can resolve', () => {
    checkFindings('import ⟦import/not-found:"//["⟧');
  });
  test('of files with errors are told once', () => {
    const { findings } = checkFindings(main('import ⟦import/unreadable:"hw.pipe"⟧'), ['line 5'], {
      files: { 'hw.pipe': `${hardware}let bad = 1 + 1ms\nlet worse = nothing` },
    });
    expect(findings[0].related[0].place.uri).toBe('file:///project/hw.pipe');
  });
  test('of names that are not there, or twice', () => {
    checkFindings('import { ⟦name/unknown:boxx⟧ } from "hw.pipe"', ['Did you mean "box"?'], {
      files: { 'hw.pipe': hardware },
    });
    checkFindings('import ⟦name/duplicate:"hw.pipe"⟧\nlet twice = 3', [], { files: { 'hw.pipe': hardware } });
  });
  test('in a circle: the whole circle, once', () => {
    checkFindings('import ⟦name/cycle:"a.pipe"⟧', ['main.pipe → a.pipe → b.pipe → main.pipe'], {
      files: { 'a.pipe': 'import "b.pipe"', 'b.pipe': 'import "main.pipe"' },
    });
    checkFindings('import ⟦name/cycle:"main.pipe"⟧', ['main.pipe → main.pipe']);
  });
  test('unused names of an import are a hint', () => {
    // A param that its own file needs can be turned from here: that is a use.
    checkFindings(main('import { box, twice, speed, ⟦name/unused:spare⟧, ⟦name/unused:idle⟧ } from "hw.pipe"'), [], {
      files: { 'hw.pipe': `${hardware}let spare = 3\nparam idle = 1\n` },
    });
  });
  test('each file is read once', () => {
    const read: string[] = [];
    const files = { 'a.pipe': 'import "hw.pipe"', 'b.pipe': 'import "hw.pipe"', 'hw.pipe': hardware };
    resolveText('import "a.pipe"\nimport "b.pipe"\nimport "hw.pipe"\nimport "hw.pipe"', { host: hostOf(files, read) });
    expect([...read].sort()).toEqual(['file:///project/a.pipe', 'file:///project/b.pipe', 'file:///project/hw.pipe']);
  });
  test('a chain of 1,000 files and 10,000 imports are bounded', () => {
    const chain = Object.fromEntries(
      Array.from({ length: 1000 }, (_, i) => [`f${i}.pipe`, i === 999 ? 'let end = 1' : `import "f${i + 1}.pipe"`]),
    );
    expect(resolveText('import "f0.pipe"', { files: chain }).imports).toHaveLength(1000);
    const many = Array.from({ length: 10_000 }, (_, i) => `import "g${i}.pipe"`).join('\n');
    expect(resolveText(many).findings.every((finding) => finding.code === 'import/not-found')).toBe(true);
  });
});

test('params of the file itself', () => {
  const { plan } = resolveText(good, { overrides: { m: 4 } });
  expect(plan.params).toMatchObject([
    { name: 'm', value: 4, default: 8, min: 1, max: 64, step: 1, unit: '', scale: 1, local: true },
  ]);
  expect(plan.pipelines[0].microbatches).toBe(4);
});

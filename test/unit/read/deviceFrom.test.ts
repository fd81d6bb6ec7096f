import * as fc from '../../support/property.ts';
import { describe, expect, test } from 'vitest';
import { defaultOptions } from '../../../engine/basics/host.ts';
import { a100, gb300, h200 } from '../formats/systems/files.ts';
import { refusedFiles } from '../../support/host.ts';
import { checkFindings } from '../../support/expected.ts';
import { resolveText } from '../../support/resolve.ts';

const files = { 'a100.json': JSON.stringify(a100), 'gb300.yaml': gb300, 'h200.yaml': h200 };
const detailOf = (text: string) => {
  const { findings, symbols } = resolveText(text, { files });
  expect(findings.map((finding) => finding.message)).toEqual([]);
  return symbols.symbols.get('device:d')?.detail;
};

describe('from = system(…)', () => {
  test('gives the figures of the file, whose name the plan watches', () => {
    const text = 'device d { from = system("gb300.yaml") }';
    const { findings, imports, derived, origins } = checkFindings(text, [], { files });
    expect([findings, imports]).toEqual([[], ['file:///project/gb300.yaml']]);
    expect(derived).toMatchObject([{ offset: text.indexOf(' }'), text: ' system of aiconfigurator' }]);
    expect(derived[0].tooltip).toContain('compute(bf16)');
    // The memory is said where the file is named.
    const start = text.indexOf('system');
    expect([...origins.values()].map((origin) => origin.start)).toContain(start);
    expect(detailOf(text)).toBe('278 GiB, 2.5 PFLOPS in fp16, 2.5 PFLOPS in bf16, 5 PFLOPS in fp8');
  });

  test('tables by size count, and a plain key beside them overrules them', () => {
    const seconds = (device: string, layer: string) => {
      const { plan, findings } = resolveText(
        `model m { sequence = 1  layer a = custom(${layer}) }
device d { ${device} }
cluster c { gpu[1] = d }
pipeline p { model = m  devices = c  microbatches = 1  stages = balance(1)  schedule = 1f1b  optimizer = none }`,
        { files },
      );
      expect(findings.map((finding) => finding.message)).toEqual([]);
      return plan.pipelines[0].stages[0].forward;
    };
    const from = 'from = system("a100.json")';
    // 312 TFLOPS and 2048 GB/s, with the shares of Calculon's tables at these sizes.
    expect(seconds(from, 'flops = 20GFLOP')).toBeCloseTo(20e9 / (312e12 * 0.9), 12);
    expect(seconds(from, 'flops = 2GFLOP')).toBeCloseTo(2e9 / (312e12 * 0.6), 12);
    expect(seconds(from, 'traffic = 50MB')).toBeCloseTo(50e6 / (2048e9 * 0.75), 12);
    expect(seconds(`${from}  efficiency = 50%`, 'flops = 2GFLOP')).toBeCloseTo(2e9 / (312e12 * 0.5), 12);
    expect(seconds(`${from}  efficiency(1GFLOP) = 30%`, 'flops = 2GFLOP')).toBeCloseTo(2e9 / (312e12 * 0.3), 12);
    expect(seconds('from = system("h200.yaml")', 'traffic = 50MB')).toBeCloseTo(50e6 / (4.8e12 * 0.8) + 3e-6, 12);
  });

  test('keys beside it stand for those of the file: a plain one for all of its key, one in parentheses for itself', () => {
    const of = (more: string) => detailOf(`device d { from = system("gb300.yaml")  ${more} }`);
    expect(of('memory = 80GiB  compute(fp8) = 1TFLOPS')).toBe(
      '80 GiB, 1 TFLOPS in fp8, 2.5 PFLOPS in fp16, 2.5 PFLOPS in bf16',
    );
    expect(of('compute = 1PFLOPS')).toBe('278 GiB, 1 PFLOPS');
    expect(detailOf('device d { compute = 1PFLOPS  from = (system("gb300.yaml")) }')).toBe('278 GiB, 1 PFLOPS');
  });

  test('the memory that the file reserves counts, and is told at the call where it does not fit', () => {
    checkFindings('device d { from = ⟦value/range:system("busy.yaml")⟧  memory = 2GiB }', ['2 GiB'], {
      files: { 'busy.yaml': `${gb300}misc:\n  other_mem: 3758096384\n` },
    });
  });

  test('a file that is missing, damaged or forbidden; what lacks then is no second mistake', () => {
    checkFindings('device d { from = system(⟦import/not-found:"no.yaml"⟧) }', ['"no.yaml"']);
    checkFindings('device d { from = system(⟦import/outside-workspace:"outside.pipe"⟧) }', [], { files: refusedFiles });
    checkFindings('device d { from = system(⟦import/unreadable:"locked.pipe"⟧) }', ['permission denied'], {
      files: refusedFiles,
    });
    const damaged = gb300.replace('num_gpus_per_node: 4', 'num_gpus_per_node: four');
    const { findings } = checkFindings(
      'device d { from = system(⟦import/unreadable:"bad.yaml"⟧)  ⟦key/unknown:memry⟧ = 1GiB }\ncluster c { gpu[2] = d }',
      ['line 8, column 22: "node.num_gpus_per_node" must be a whole number'],
      { files: { 'bad.yaml': damaged } },
    );
    const [{ place }] = findings[0].related;
    expect([place.uri, damaged.slice(place.start, place.end)]).toEqual(['file:///project/bad.yaml', 'four']);
    checkFindings('device d { from = system(⟦import/unreadable:"x.txt"⟧) }', ['line 1, column 1'], {
      files: { 'x.txt': 'nothing of the kind' },
    });
    const small = { ...defaultOptions, limits: { ...defaultOptions.limits, fileSize: 100 } };
    checkFindings('device d { from = system(⟦limit/too-large:"h200.yaml"⟧) }', ['Characters'], {
      files,
      options: small,
    });
  });

  test('any damage is a finding at the path, or a device', () => {
    const system = gb300;
    fc.assert(
      fc.property(
        fc.nat(system.length - 1),
        fc.nat(4),
        fc.constantFrom('', '-', '0', '"', '[', '\n', '1e30'),
        (at, cut, by) => {
          const text = 'device d { from = system("x.yaml") }';
          const damaged = system.slice(0, at) + by + system.slice(at + cut);
          const { findings, symbols } = resolveText(text, { files: { 'x.yaml': damaged } });
          if (findings.length === 0) expect(symbols.symbols.get('device:d')?.detail).toContain('B');
          else {
            const { code, place } = findings[0];
            expect([findings.length, code, text.slice(place.start, place.end)]).toEqual([
              1,
              'import/unreadable',
              '"x.yaml"',
            ]);
          }
        },
      ),
      { numRuns: 500 },
    );
  });

  test('what stands in the place of a system', () => {
    checkFindings('device d { from = ⟦type/mismatch:3⟧ }', ['system("FILE")']);
    checkFindings('device d { from = ⟦type/mismatch:system⟧ }', ['without a file']);
    checkFindings('device d { from = ⟦key/missing:system⟧() }', ['file']);
    checkFindings('device d { from = ⟦name/unknown:sytem⟧("a") }', ['system']);
    checkFindings('device d { from = ⟦name/unknown:profile⟧("a") }');
    checkFindings('model m { from = ⟦name/unknown:system⟧("a") }');
    checkFindings('device d { from = system(⟦type/mismatch:4ms⟧) }', ['a path in quotes']);
    checkFindings('device d { from = system("gb300.yaml", ⟦type/mismatch:2⟧) }', [], { files });
    checkFindings('device d { from = system("gb300.yaml")  ⟦key/duplicate:from⟧ = system("gb300.yaml") }', [], {
      files,
    });
  });
});

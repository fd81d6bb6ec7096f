import { describe, expect, test } from 'vitest';
import { parse } from '../../../grammar/index.ts';
import { format } from '../../../grammar/printer.ts';
import { checkFindings, checkFix } from '../../support/expected.ts';
import { resolveText } from '../../support/resolve.ts';

const hardware = `device v100 { memory = 16GiB }
param nodes = 2 in 1..16
param pace = 25GB/s
param rough = 2.5
cluster box { node[nodes] { gpu[2] = v100  link = 50GB/s }  link = pace + 5us }
cluster other { node[nodes] { gpu[1] = v100  link = 50GB/s }  link = pace }
let twice = 2 * nodes
`;
const files = { 'hw.pipe': hardware };
const main = (first: string, devices = 'box', stages = 'balance') => `${first}
model toy { layer block[64] { forward = 4ms  backward = 8ms  output = 10MB } }
pipeline train { model = toy  devices = ${devices}  microbatches = 4  stages = ${stages}  schedule = 1f1b }
`;
const devicesOf = (text: string, overrides: Readonly<Record<string, number>> = {}) =>
  resolveText(text, { files, overrides }).plan.pipelines.map((pipeline) => pipeline.devices.length);

describe('with', () => {
  test('sets params of the imported file, and what follows from them', () => {
    expect(devicesOf(main('import { box } from "hw.pipe"'))).toEqual([4]);
    expect(devicesOf(main('import { box } from "hw.pipe" with { nodes = 8 }'))).toEqual([16]);
    expect(devicesOf(main('import "hw.pipe" with { nodes = 2 + 1 }'))).toEqual([6]);
    const { plan } = checkFindings(
      main('import { box, twice } from "hw.pipe" with { nodes = 5  pace = 10GB/s }', 'box', 'balance(twice)'),
      [],
      {
        files,
      },
    );
    expect(plan.pipelines[0].stages).toHaveLength(10);
    expect(plan.pipelines[0].routes.map(({ bandwidth }) => bandwidth)).toContain(10e9);
    checkFindings(main('import { dgx_h100 } from "std:clusters" with { nodes = 1 }', 'dgx_h100'));
  });

  test('two imports of a file with other values are two instances, with equal values one', () => {
    const two = `import { box } from "hw.pipe" with { nodes = 3 }
import { other } from "hw.pipe" with { nodes = 7 }`;
    const pipeline =
      'pipeline second { model = toy  devices = other  microbatches = 4  stages = balance  schedule = 1f1b }';
    expect(devicesOf(main(two) + pipeline)).toEqual([6, 7]);
    expect(devicesOf(main(two.replace(' with { nodes = 7 }', '')) + pipeline)).toEqual([6, 2]);
    const equal = two.replace('= 7', '= 3');
    expect(devicesOf(main(equal) + pipeline)).toEqual([6, 3]);
  });

  test('works in imported files too', () => {
    const library = {
      ...files,
      'lib.pipe':
        'import { box } from "hw.pipe" with { nodes = 4 }\nlet n = 1\ncluster mine { gpu[1] = v }\ndevice v { memory = 1GiB }',
    };
    const found = resolveText('import { n } from "lib.pipe"\nimport { box } from "hw.pipe"\nlet x = n', {
      files: library,
    });
    expect(found.findings.map(({ message }) => message).filter((message) => message.includes('hw'))).toEqual([]);
    const nested = { ...files, 'lib.pipe': 'import { twice } from "hw.pipe" with { nodes = 4 }\nlet n = twice + 1' };
    const text = main(
      'import { box } from "hw.pipe" with { nodes = 8 }\nimport { n } from "lib.pipe"',
      'box',
      'balance(n)',
    );
    expect(resolveText(text, { files: nested }).plan.pipelines[0].stages).toHaveLength(9);
  });

  test('what it sets is a param of the file: a slider, and --set', () => {
    const alone = main('import { box } from "hw.pipe" with { nodes = 8 }');
    expect(resolveText(alone, { files }).plan.params).toMatchObject([
      { name: 'box.nodes', value: 8, default: 8, min: 1, max: 16, local: true },
    ]);
    expect(devicesOf(alone, { 'box.nodes': 4 })).toEqual([8]);
    const named = main('import { box, nodes } from "hw.pipe" with { nodes = 8 }');
    expect(resolveText(named, { files }).plan.params).toMatchObject([{ name: 'nodes', value: 8, default: 8 }]);
    expect(devicesOf(named, { nodes: 4 })).toEqual([8]);
    const whole = main('import "hw.pipe" with { nodes = 8 }');
    expect(resolveText(whole, { files }).plan.params.map(({ name, value }) => [name, value])).toEqual([
      ['nodes', 8],
      ['pace', 25e9],
      ['rough', 2.5],
    ]);
    const both = main(
      'import { box } from "hw.pipe" with { nodes = 8 }\nimport { other } from "hw.pipe" with { nodes = 3 }',
    );
    expect(devicesOf(both, { 'other.nodes': 2 })).toEqual([16]);
    expect(
      resolveText(both, { files, overrides: { 'other.nodes': 2 } }).plan.params.map(({ name, value }) => [name, value]),
    ).toEqual([
      ['box.nodes', 8],
      ['other.nodes', 2],
    ]);
  });

  test.each([
    ['⟦name/unknown:node⟧ = 8', 'Unknown param "node" in "hw.pipe". Did you mean "nodes"?'],
    ['⟦type/mismatch:twice⟧ = 8', 'Expected a param of "hw.pipe", found let "twice".'],
    ['nodes = ⟦value/range:17⟧', '"nodes" is 17; it must be from 1 to 16.'],
    ['nodes = ⟦type/dimension:8GiB⟧', 'Expected a plain number, found bytes'],
    ['pace = ⟦type/dimension:8⟧', 'Expected a bandwidth, found a plain number'],
    ['nodes = ⟦type/mismatch:count⟧', 'found a name: an imported file cannot read names of the file that imports it'],
    ['nodes = 8  ⟦key/duplicate:nodes⟧ = 4', '"nodes" is set twice in this import; the first one is used.'],
    ['nodes = ⟦syntax/unit:8nodes⟧', 'unit'],
    ['⟦type/mismatch:nodes⟧[2] = 8', 'Expected one value, such as `nodes = 2`'],
  ])('%s: one finding, and nothing that follows from it', (setting, message) => {
    const text = main(`import { box } from "hw.pipe" with { ${setting} }`).replace(
      'microbatches = 4',
      'microbatches = count',
    );
    checkFindings(`${text}param count = 3 in 1..4\n`, [message], { files });
  });

  test('an error that a value makes in the file is told at the import', () => {
    checkFindings(main('import { box } from ⟦import/unreadable:"hw.pipe"⟧ with { pace = 0GB/s }'), ['it has errors'], {
      files,
    });
  });

  test('a name that two instances have is declared twice', () => {
    checkFindings(
      main('import { box } from "hw.pipe" with { nodes = 8 }\nimport { ⟦name/duplicate:box⟧ } from "hw.pipe"'),
      [],
      { files },
    );
  });

  test('the name of a setting leads to the param, whatever the file calls so', () => {
    const text = `param nodes = 1 in 1..2
${main('import { box } from "hw.pipe" with { nodes = 8 }').replace('microbatches = 4', 'microbatches = 4 * nodes')}`;
    const { symbols } = resolveText(text, { files });
    const at = text.indexOf('nodes = 8');
    const reference = symbols.references.find(({ place }) => place.start === at);
    expect(symbols.symbols.get(reference?.symbol ?? '')?.declaration?.uri).toBe('file:///project/hw.pipe');
    expect(symbols.symbols.get('param:nodes')?.declaration?.uri).not.toBe('file:///project/hw.pipe');
  });

  test('a spelling is fixed, and a value', () => {
    checkFix(
      'import { dgx_h100 } from "std:clusters" with { ⟦name/unknown:node→nodes⟧ = 8 }\nlet x = 1\ncluster c { gpu[1] = d }\ndevice d { memory = 1GiB }',
    );
    checkFix('import { dgx_h100 } from "std:clusters" with { nodes = ⟦value/range:4096→2048⟧ }');
  });
});

describe('the text of with', () => {
  test('is laid out like a block', () => {
    const laid = (text: string) => {
      const found = format(parse(text));
      return 'text' in found ? found.text : undefined;
    };
    expect(laid('import {box} from "hw.pipe" with{nodes=8 pace=1GB/s}')).toBe(
      'import { box } from "hw.pipe" with { nodes = 8  pace = 1GB/s }\n',
    );
    const long = 'import { box } from "hw.pipe" with {\n  nodes = 8  // all of them\n  pace  = 10GB/s\n}\n';
    expect(laid(long)).toBe(long);
  });

  test.each([
    ['import "a.pipe" with', 'Expected "{" after "with"'],
    ['import "a.pipe" with { nodes', ''],
    ['import "a.pipe" with { nodes = 8\nmodel m { }', 'to close "import"'],
  ])('%s is a mistake of the import alone', (text, message) => {
    const file = parse(`${text}\ndevice d { memory = 1GiB }\n`);
    expect(file.errors[0]?.message).toContain(message);
    expect(file.declarations.at(-1)?.kind).toBe('block');
  });

  test('with is a name everywhere else', () => {
    expect(parse('let with = 1\nparam x = with in 1..2\ndevice with { memory = 1GiB }').errors).toEqual([]);
  });
});

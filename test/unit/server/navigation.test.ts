import { existsSync, readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { DocumentHighlight, DocumentLink, Location, LocationLink, SignatureHelp } from 'vscode-languageserver';
import { main, positionAt, slice, withClient } from '../../support/server.ts';
import { standardText } from '../../../engine/std/index.ts';
import { ask, serverWith } from '../../support/asked.ts';
import { staged, toy } from './samples.ts';

const at = (text: string, offset: number | undefined) => ({
  textDocument: { uri: main },
  position: positionAt(text, offset ?? 0),
});
const folder = 'file:///project/';

async function checkDefinition(source: string, uri: string, name: string | undefined): Promise<void> {
  await serverWith(source, async ({ texts, ask }) => {
    const [found] = (await ask<LocationLink[] | null>('textDocument/definition')) ?? [];
    expect(found?.targetUri).toBe(uri);
    const standard = standardText(/^pipewright-policy:\/std\/(.*)\.pipe$/.exec(uri)?.[1].replace(/^/, 'std:') ?? '');
    if (name !== undefined)
      expect(
        slice(
          texts.get(uri) ?? standard ?? '',
          found?.targetSelectionRange ?? { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } },
        ),
      ).toBe(name);
  });
}

test('definition of a name, a layer, a stage', async () => {
  await checkDefinition(toy.replace('model        = toy', 'model        = $0toy'), main, 'toy');
  await checkDefinition(staged.replace('layers = b', 'layers = $0b'), main, 'b');
  await checkDefinition(staged.replace('stage = first', 'stage = $0first'), main, 'first');
});

test('definition over files: a name, a path, the standard hardware', async () => {
  const other = '\n//- /hardware.pipe\ndevice card { memory = 1GiB }\n';
  await checkDefinition(
    `import { card } from "hardware.pipe"\ncluster c { gpu[1] = $0card }${other}`,
    `${folder}hardware.pipe`,
    'card',
  );
  await checkDefinition(`import "hard$0ware.pipe"${other}`, `${folder}hardware.pipe`, undefined);
  await checkDefinition('import "std:$0hardware"', 'pipewright-policy:/std/hardware.pipe', undefined);
});

test('a built-in policy leads to a read-only document', async () => {
  await checkDefinition(toy.replace('= 1f1b', '= $01f1b'), 'pipewright-policy:/std/schedules/1f1b.pipe', '1f1b');
  await checkDefinition(toy.replace('= 1f1b', '= $0pipeswitch'), 'pipewright-policy:/pipeswitch.pipe', undefined);
  await withClient(async (client) => {
    const source = async (uri: string) =>
      (await client.request<{ text: string }>('workspace/textDocumentContent', { uri })).text;
    expect(await source('pipewright-policy:/1f1b.pipe')).toMatch(/^\/\/\/ [\s\S]*schedule 1f1b \{[\s\S]*row\(d\)/);
    expect(await source('pipewright-policy:/zb_h1.pipe')).toMatch(/^\/\//);
    expect(await source('pipewright-policy:/std/hardware.pipe')).toContain('device v100');
    for (const nowhere of ['pipewright-policy:/nothing.pipe', 'pipewright-policy:/../x.pipe', 'file:///etc/passwd'])
      expect(await source(nowhere)).toBe(`// There is nothing at ${nowhere}.\n`);
  });
});

test('an editor that cannot show documents of a server gets a read-only file, until the server ends', async () => {
  const seen: string[] = [];
  for (const [written, path, text] of [
    ['= $01f1b', '/std/schedules/1f1b.pipe', 'schedule 1f1b {'],
    ['= $0pipeswitch', '/pipeswitch.pipe', 'pipeswitch is built in'],
  ] as const)
    await serverWith(
      toy.replace('= 1f1b', written),
      async ({ ask }) => {
        const [{ targetUri }] = await ask<LocationLink[]>('textDocument/definition');
        expect(targetUri).toMatch(/^file:\/\/\//);
        expect(targetUri.endsWith(path)).toBe(true);
        const file = fileURLToPath(targetUri);
        expect(readFileSync(file, 'utf8')).toContain(text);
        expect(statSync(file).mode & 0o222).toBe(0);
        expect((await ask<LocationLink[]>('textDocument/definition'))[0].targetUri).toBe(targetUri);
        seen.push(file);
      },
      { capabilities: { workspace: {} } },
    );
  const links = await serverWith(
    'import "std:hardware"$0',
    ({ ask }) => ask<DocumentLink[]>('textDocument/documentLink'),
    {
      capabilities: { workspace: {} },
    },
  );
  expect(links[0]?.target).toMatch(/^file:.*\/std\/hardware\.pipe$/);
  for (const file of seen) expect(existsSync(file)).toBe(false);
});

test('a name that a schedule takes over leads to its base', async () => {
  const mine = (row: string) =>
    `schedule base { let warm(d) = d  row(d) = F[0..warm(d)] }\nschedule mine { from = base  ${row} }`;
  await checkDefinition(mine('row(0) = F[0..wa$0rm(0)]'), main, 'warm');
  await checkDefinition(mine('').replace('= base', '= ba$0se'), main, 'base');
  const text = 'schedule mine { from = zb_h1  row(0) = F[0..<wa$0rm(0)] }';
  await checkDefinition(text, 'pipewright-policy:/std/schedules/zb_h1.pipe', 'warm');
  await checkDefinition(
    text.replace('$0', '').replace('zb_', 'zb$0_'),
    'pipewright-policy:/std/schedules/zb_h1.pipe',
    'zb_h1',
  );
});

test('references and highlights are all uses of the name and no other', async () => {
  await withClient(async (client) => {
    client.open(main, toy);
    const position = at(toy, toy.indexOf('microbatches = 8'));
    const uses = await client.request<Location[]>('textDocument/references', {
      ...position,
      context: { includeDeclaration: true },
    });
    expect(uses.map((use) => slice(toy, use.range))).toEqual(['microbatches', 'microbatches']);
    expect(uses.map((use) => use.range.start.line)).toEqual([9, 14]);
    const others = await client.request<Location[]>('textDocument/references', {
      ...position,
      context: { includeDeclaration: false },
    });
    expect(others.map((location) => location.range.start.line)).toEqual([14]);
    const lit = await client.request<DocumentHighlight[]>('textDocument/documentHighlight', position);
    expect(lit.map((documentHighlight) => documentHighlight.kind)).toEqual([3, 2]);
  });
});

test('references name the file that was asked first, then the others', async () => {
  const source = '//- /a.pipe\ndevice card { memory = 1GiB }\n';
  const text = 'import { card } from "a.pipe"\ncluster c { gpu[2] = ca$0rd  link = 1GB/s }\n';
  await serverWith(text + source, async ({ ask }) => {
    const uses = await ask<Location[]>('textDocument/references', { context: { includeDeclaration: true } });
    expect(uses.map(({ uri }) => uri)).toEqual([main, main, `${folder}a.pipe`]);
  });
});

test('paths of imports are links', async () => {
  await withClient(async (client) => {
    client.open(`${folder}hardware.pipe`, 'device card { memory = 1GiB }');
    client.open(main, 'import "hardware.pipe"\nimport "nowhere.pipe"\n');
    const links = await client.request<DocumentLink[]>('textDocument/documentLink', { textDocument: { uri: main } });
    expect(links.map((link) => link.target)).toEqual([`${folder}hardware.pipe`]);
  });
});

async function checkSignature(source: string, label: RegExp, parameter: string | undefined): Promise<void> {
  const found = await ask<SignatureHelp | null>(source, 'textDocument/signatureHelp');
  expect(found?.signatures[0]?.label).toMatch(label);
  expect(found?.signatures[0]?.parameters?.[found.activeParameter ?? 0]?.label).toBe(parameter);
}

test('signature: position, name, nesting, and text that is not finished', async () => {
  await checkSignature('pipeline p { stages = balance($0) }', /^balance\(stages/, 'stages?');
  await checkSignature('model m { layer a = transformer(hidden = 8, heads = $0) }', /^transformer\(/, 'heads');
  await checkSignature('model m { layer a = transformer(heads = $0', /^transformer\(/, 'heads');
  // A long one shows what is needed, written or at the cursor, and the first of the others.
  await checkSignature('model m { layer a = transformer($0', /^transformer\(hidden, heads, [^)]{1,90}, …\)$/, 'hidden');
  await checkSignature(
    'model m { layer a = transformer(hidden = 8, heads = 2, dropout = false, norm = $0',
    /^transformer\(hidden, heads, .*, norm = layernorm, dropout = true, …\)$/,
    'norm = layernorm',
  );
  // After a named argument comes another name: the one that is begun, or none.
  const shape = 'model m { layer a = transformer(hidden = 8, heads = 2, ';
  await checkSignature(`${shape}$0`, /^transformer\(/, undefined);
  await checkSignature(`${shape}fl$0) }`, /^transformer\(.*, flash = false, …\)$/, 'flash = false');
  await checkSignature(`${shape}he$0) }`, /^transformer\(.*, head_dim\?, .*…\)$/, 'head_dim?');
  await checkSignature('let x = if(1 < 2, max(1, 2), $0)', /^if\(/, 'else');
  await checkSignature('let x = if(1 < 2, max(1, $0))', /^max\(/, 'a');
  await checkSignature('pipeline p { schedule = interleaved_1f1b($0) }', /^interleaved_1f1b\(/, 'chunks = 2');
});

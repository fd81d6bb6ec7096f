import { expect, test } from 'vitest';
import { DiagnosticSeverity, DiagnosticTag, type Diagnostic } from 'vscode-languageserver';
import { main, positionAt, startClient, withClient } from '../../support/server.ts';
import { serverWith } from '../../support/asked.ts';
import { toy } from './samples.ts';

const severityOf: Readonly<Record<string, DiagnosticSeverity>> = {
  error: DiagnosticSeverity.Error,
  warning: DiagnosticSeverity.Warning,
  information: DiagnosticSeverity.Information,
  hint: DiagnosticSeverity.Hint,
};

/** Expects just the marked diagnostics; each mark has a severity. */
const checkDiagnostics = (source: string): Promise<readonly Diagnostic[]> =>
  serverWith(source, async ({ client, text, findings }) => {
    const { diagnostics } = await client.diagnostics(main);
    expect(diagnostics.map(({ code, severity, range }) => ({ code, severity, range }))).toEqual(
      findings.map(({ code, severity = 'unmarked', start, end }) => ({
        code,
        severity: severityOf[severity],
        range: { start: positionAt(text, start), end: positionAt(text, end) },
      })),
    );
    return diagnostics;
  });

test('an unknown name is reported where it stands, with its page', async () => {
  const [found] = await checkDiagnostics(`
device v100 { memory = 16GiB }
cluster box { gpu[4] = ⟦error name/unknown:v10⟧ }
`);
  expect(found?.codeDescription?.href).toBe('file:///docs/diagnostics/name/unknown.md');
  expect(found?.source).toBe('pipewright');
});

test('the second declaration of a name points at the first', async () => {
  const [found] = await checkDiagnostics(`
let a = 1
let ⟦error name/duplicate:a⟧ = 2
`);
  expect(found?.relatedInformation?.[0]?.location.range.start).toEqual({ line: 0, character: 4 });
});

test('an unused name is faded, not underlined', async () => {
  await withClient(async (client) => {
    client.open(main, `let spare = 1\n${toy}`);
    const { diagnostics } = await client.diagnostics(main);
    const unused = diagnostics.find((diagnostic) => diagnostic.code === 'name/unused');
    expect(unused?.tags).toEqual([DiagnosticTag.Unnecessary]);
    expect(unused?.severity).toBe(DiagnosticSeverity.Hint);
    expect(unused?.range.start).toEqual({ line: 0, character: 4 });
  });
});

test('a mistake goes away with the edit that mends it, and with the document', async () => {
  await withClient(async (client) => {
    const broken = toy.replace('bubble < 30%', 'bubble < 20%');
    client.open(main, broken);
    const at = broken.indexOf('20%');
    expect((await client.diagnostics(main)).diagnostics.map((diagnostic) => diagnostic.code)).toContain(
      'expect/failed',
    );
    client.edit(main, { start: positionAt(broken, at), end: positionAt(broken, at + 2) }, '30');
    const after = await client.diagnostics(main);
    expect(after.version).toBe(2);
    expect(after.diagnostics.map((diagnostic) => diagnostic.code)).not.toContain('expect/failed');
    client.change(main, broken);
    await client.diagnostics(main);
    client.close(main);
    await client.request('shutdown', undefined);
    expect(client.published.at(-1)).toEqual({ uri: main, diagnostics: [] });
  });
});

test('a newer text is never followed by the diagnostics of an older one', async () => {
  await withClient(async (client) => {
    client.open(main, toy);
    for (let at = 0; at < 30; at += 1) client.change(main, `${toy}\nlet x${at} = ${at}\n`);
    await client.diagnostics(main);
    const versions = client.published.map((one) => one.version ?? 0);
    expect(versions).toEqual(versions.toSorted((a, b) => a - b));
    expect(versions.at(-1)).toBe(31);
  });
});

test('a file over the size limit, text or not, has one finding', async () => {
  for (const text of ['let a = 1 // padding\n'.repeat(250_000), '\u0000\uFFFD\u0001'.repeat(1_700_000)]) {
    await withClient(async (client) => {
      client.open(main, text);
      const { diagnostics } = await client.diagnostics(main);
      expect(diagnostics.map((diagnostic) => diagnostic.code)).toEqual(['limit/too-large']);
    });
  }
});

test('settings of the client are kept to, and a change of them is seen at once', async () => {
  const client = await startClient({
    capabilities: { workspace: { configuration: true } },
    settings: { limits: { fileSize: 20 }, diagnostics: { bubble: 'much' } },
  });
  client.open(main, toy);
  expect((await client.diagnostics(main)).diagnostics.map((diagnostic) => diagnostic.code)).toEqual([
    'limit/too-large',
  ]);
  client.stop();

  await withClient(async (other) => {
    other.open(main, toy);
    expect((await other.diagnostics(main)).diagnostics.map((diagnostic) => diagnostic.code)).not.toContain(
      'limit/too-large',
    );
    const before = other.published.length;
    other.notify('workspace/didChangeConfiguration', { settings: { pipewright: { limits: { fileSize: 20 } } } });
    await other.request('textDocument/hover', { textDocument: { uri: main }, position: { line: 0, character: 0 } });
    expect(other.published.length).toBeGreaterThan(before);
    expect(other.published.at(-1)?.diagnostics.map((diagnostic) => diagnostic.code)).toEqual(['limit/too-large']);
  });
});

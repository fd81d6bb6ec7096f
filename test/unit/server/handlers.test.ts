import { expect, test } from 'vitest';
import { CancellationToken, CancellationTokenSource, ResponseError } from 'vscode-languageserver';
import { handler, Refusal } from '../../../server/handlers.ts';

function logged() {
  const errors: string[] = [];
  const traces: string[] = [];
  const log = { error: (text: string) => void errors.push(text), trace: (text: string) => void traces.push(text) };
  return { errors, traces, log };
}

test('an error is logged with the name of the request and where it came from, and answered with null', async () => {
  const { errors, traces, log } = logged();
  const fail = (): never => {
    throw new TypeError('no such thing');
  };
  for (const answer of [fail, async () => fail()])
    expect(await handler(log, 'hover', answer)({}, CancellationToken.None)).toBeNull();
  expect(errors).toHaveLength(2);
  for (const error of errors) {
    expect(error).toMatch(/^hover: TypeError: no such thing\n/);
    expect(error).toContain('handlers.test.ts');
  }
  expect(traces).toEqual([expect.stringMatching(/^hover: [\d.]+ ms$/), expect.stringMatching(/^hover: [\d.]+ ms$/)]);
});

test('a refusal is an answer for the user, and no error of ours', async () => {
  const { errors, log } = logged();
  const answer = handler(log, 'rename', () => {
    throw new Refusal('The name is taken.');
  });
  const refused = await answer({}, CancellationToken.None);
  expect(refused).toBeInstanceOf(ResponseError);
  expect(refused).toMatchObject({ code: -32803, message: 'The name is taken.' });
  expect(errors).toEqual([]);
});

test('what was cancelled meanwhile is answered so, whatever was found', async () => {
  const { errors, log } = logged();
  const source = new CancellationTokenSource();
  const answered = handler(log, 'hover', async () => 'found')({}, source.token);
  source.cancel();
  expect(await answered).toMatchObject({ code: -32800 });
  expect(errors).toEqual([]);
});

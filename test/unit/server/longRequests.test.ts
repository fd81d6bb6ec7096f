import { expect, onTestFinished, test } from 'vitest';
import { withClient, type ClientOptions } from '../../support/server.ts';

/** Files that are looked through until they are let go. */
function endless(): Pick<ClientOptions, 'files' | 'patience'> & { end(): void } {
  let isOver = false;
  onTestFinished(() => {
    isOver = true;
  });
  return {
    patience: 0,
    files: (files) => ({
      ...files,
      *all() {
        while (!isOver) yield undefined;
      },
    }),
    end() {
      isOver = true;
    },
  };
}

const symbols = 'workspace/symbol';

test('a long request says so where the client asked for it', async () => {
  const held = endless();
  await withClient(async (client) => {
    const said = client.progress('mine', (value) => {
      if ((value as { kind: string }).kind === 'begin') held.end();
    });
    expect(await client.request(symbols, { query: '', workDoneToken: 'mine' })).toEqual([]);
    await client.request('shutdown', undefined);
    expect(said).toEqual([
      { kind: 'begin', title: 'Pipewright', message: 'workspace symbols', cancellable: false },
      { kind: 'end' },
    ]);
  }, held);
});

test('or at a token of the server, where it can be cancelled', async () => {
  const held = endless();
  await withClient(
    async (client) => {
      const asked = client.request(symbols, { query: '' });
      const token = (await client.created()) as string;
      client.progress(token, () => client.notify('window/workDoneProgress/cancel', { token }));
      await expect(asked).rejects.toMatchObject({ code: -32800 });
    },
    { ...held, capabilities: { window: { workDoneProgress: true } } },
  );
});

test('a quick request says nothing', async () => {
  await withClient(
    async (client) => {
      await client.request(symbols, { query: '' });
      expect(client.asked).not.toContain('window/workDoneProgress/create');
    },
    { capabilities: { window: { workDoneProgress: true } } },
  );
});

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { cacheFolder } from '../../../platform/node/compiled.ts';
import { builtCommand } from '../../support/builtCommand.ts';

test('compiled code is kept in the cache of the user, where the system has it', () => {
  const home = '/home/ada';
  expect(cacheFolder({}, 'linux', home)).toBe('/home/ada/.cache/pipewright');
  expect(cacheFolder({ XDG_CACHE_HOME: '/scratch/ada' }, 'linux', home)).toBe('/scratch/ada/pipewright');
  expect(cacheFolder({}, 'darwin', home)).toBe('/home/ada/Library/Caches/pipewright');
  expect(cacheFolder({ LOCALAPPDATA: '/c/ada' }, 'win32', home)).toBe('/c/ada/pipewright');
});

test('a relative path is no place: it would be another folder in each directory', () => {
  expect(cacheFolder({ XDG_CACHE_HOME: 'cache' }, 'linux', '/home/ada')).toBeUndefined();
  expect(cacheFolder({ XDG_CACHE_HOME: '' }, 'linux', '')).toBeUndefined();
  expect(cacheFolder({ XDG_CACHE_HOME: '' }, 'linux', '/home/ada')).toBe('/home/ada/.cache/pipewright');
});

test('a command leaves its compiled code there, and runs as well where it cannot', async () => {
  const command = await builtCommand();
  const folder = mkdtempSync(path.join(tmpdir(), 'pipewright-compiled-'));
  const version = (cache: string) => {
    const { NODE_DISABLE_COMPILE_CACHE: _, NODE_COMPILE_CACHE: _tests, ...env } = process.env;
    return spawnSync(process.execPath, [command, '--version'], {
      env: { ...env, XDG_CACHE_HOME: cache, LOCALAPPDATA: cache },
      encoding: 'utf8',
    });
  };
  try {
    const kept = version(folder);
    expect(kept.stderr).toBe('');
    const files = readdirSync(path.join(folder, 'pipewright'), { recursive: true });
    expect(files.length).toBeGreaterThan(2);
    for (const again of [version(folder), version(path.join(command, 'no-folder'))])
      expect([again.status, again.stdout, again.stderr]).toEqual([0, kept.stdout, '']);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

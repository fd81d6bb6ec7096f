import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { root } from '../../../scripts/build.ts';
import { releaseProblems } from '../../../scripts/releaseProblems.ts';

interface Locked {
  readonly integrity?: string;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly optional?: boolean;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const textOf = (name: string): string => readFileSync(path.join(root, name), 'utf8');
const { packages } = JSON.parse(textOf('package-lock.json')) as {
  readonly packages: Readonly<Record<string, Locked>>;
};

/** Packages of which each platform takes its part. */
const native = Object.entries(packages).flatMap(([name, { optionalDependencies = {} }]) => {
  const parts = Object.keys(optionalDependencies).map((part) => packages[`node_modules/${part}`]);
  return name !== '' && parts.length > 1 ? [{ name: name.replace('node_modules/', ''), parts }] : [];
});

describe('npm ci', () => {
  test('finds native packages to look at', () => {
    expect(native.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['esbuild', 'typescript', 'rolldown', 'oxlint']),
    );
  });

  test.each(['linux', 'darwin', 'win32'].flatMap((os) => ['x64', 'arm64'].map((cpu) => ({ os, cpu }))))(
    'has all native packages for $os on $cpu',
    ({ os, cpu }) => {
      const has = (locked: Locked | undefined): boolean =>
        locked?.integrity !== undefined &&
        locked.os?.includes(os) === true &&
        (locked.cpu === undefined || locked.cpu.includes(cpu));
      expect(native.filter(({ parts }) => !parts.some(has)).map(({ name }) => name)).toEqual([]);
    },
  );

  test('installs nothing for one platform only that is not optional', () => {
    const bound = Object.entries(packages).filter(([, { os, cpu }]) => os !== undefined || cpu !== undefined);
    expect(bound.length).toBeGreaterThan(50);
    expect(bound.filter(([, { optional }]) => optional !== true).map(([name]) => name)).toEqual([]);
  });
});

describe('a release', () => {
  const ready = {
    manifest: {
      version: '1.2.0',
      repository: { type: 'git', url: 'git+https://code.example/pipewright.git' },
      bugs: 'https://code.example/pipewright/issues',
    },
    changelog: '# Changelog\n\n## 1.2.0\n\nText.\n',
    changed: false,
  };

  test('is made if nothing is missing', () => {
    expect(releaseProblems(ready)).toEqual([]);
  });

  test('is refused without addresses, without its section of the change log, and with changes', () => {
    const { version } = ready.manifest;
    expect(releaseProblems({ ...ready, manifest: { version } }).map((text) => text.split('.')[1])).toEqual([
      'json has no `repository`',
      'json has no `bugs`',
    ]);
    expect(releaseProblems({ ...ready, manifest: { ...ready.manifest, bugs: 'later' } })).toHaveLength(1);
    expect(releaseProblems({ ...ready, changelog: '# Changelog\n\n## Unreleased\n' })).toEqual([
      'CHANGELOG.md has no section for version 1.2.0.',
    ]);
    expect(releaseProblems({ ...ready, changed: true })).toHaveLength(1);
  });

  test('has the version of the manifest in the change log', () => {
    const manifest = JSON.parse(textOf('package.json')) as Record<string, unknown>;
    const problems = releaseProblems({ manifest, changelog: textOf('CHANGELOG.md'), changed: false });
    expect(problems.filter((text) => text.startsWith('CHANGELOG'))).toEqual([]);
  });
});

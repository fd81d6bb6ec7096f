import { expect, it } from 'vitest';
import { pagePath } from '../../../client/pagePath.ts';

it('finds pages of the documentation', () => {
  expect(pagePath('/docs/diagnostics/schedule/bubble.md')).toBe('docs/diagnostics/schedule/bubble.md');
  expect(pagePath('/docs/schedules/1f1b.md')).toBe('docs/schedules/1f1b.md');
  expect(pagePath('/docs/preview.md')).toBe('docs/preview.md');
});

it.each([
  '/docs/../package.json',
  '/docs/../../x.md',
  '/docs/a/../b.md',
  '/docs//a.md',
  '/etc/x.md',
  '/docs/a.js',
  '',
  '/docs/.md',
])('opens nothing else: %s', (path) => expect(pagePath(path)).toBeUndefined());

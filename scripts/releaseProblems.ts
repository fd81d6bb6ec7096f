/** What is missing for a release, as sentences; empty if nothing is. */
export function releaseProblems({
  manifest,
  changelog,
  changed,
}: {
  readonly manifest: Readonly<Record<string, unknown>>;
  readonly changelog: string;
  /** Files differ from the last commit. */
  readonly changed: boolean;
}): readonly string[] {
  const { version } = manifest;
  return [
    ...['repository', 'bugs'].flatMap((key) =>
      isAddress(manifest[key])
        ? []
        : [
            `package.json has no \`${key}\`. Both shops show it to users: write the address, which begins with https://.`,
          ],
    ),
    ...(changelog.includes(`\n## ${String(version)}\n`)
      ? []
      : [`CHANGELOG.md has no section for version ${String(version)}.`]),
    ...(changed ? ['Commit your changes first: a release is built from a commit.'] : []),
  ];
}

const isAddress = (value: unknown): boolean => {
  const url = typeof value === 'object' && value !== null && 'url' in value ? value.url : value;
  return typeof url === 'string' && /^(?:git\+)?https:\/\/\S+\.\S+/u.test(url);
};

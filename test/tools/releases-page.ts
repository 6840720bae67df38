import {
  changes,
  isAtLeast,
  newestRelease,
  oldestRelease,
  type ReleaseChange,
  releaseText,
} from '../../src/model/release.ts'

const introduction = `# Releases

An agent can be run as an earlier release, from ${releaseText(oldestRelease)} to ${releaseText(newestRelease)}, to see how the past
behaved and to rehearse upgrades: \`svc agent -release 1.0.0\`, or \`release: 1.0.0\` at the nodes of a scenario, and \`upgrade\` in its
steps. Each row below is a change of behaviour that it then is taken back behind; numbers between two rows behave as the row before
them. What has no row behaves as in ${releaseText(newestRelease)}.

Agents of different releases may be in one cluster, and then misbehave for the reasons that the real ones had: a server stops at
a replicated command that its release does not know, and servers whose Raft protocols are not neighbours do not hear each other.
In production there is one release, the newest.

This page is made from the tables in \`src/model\` (\`SVC_WRITE_DOCS=1 npx vitest run test/unit/model\` writes it).
`

/** The page docs/releases.md, whole. */
export function releasesPage(): string {
  const releases = new Map<string, string[]>()
  const rows = Object.entries<ReleaseChange>(changes)
  // Rows of one release stay in the order of the table.
  rows.sort(([, a], [, b]) => Number(isAtLeast(a.since, b.since)) - Number(isAtLeast(b.since, a.since)))
  for (const [name, change] of rows) {
    const since = releaseText(change.since)
    releases.set(since, [...(releases.get(since) ?? []), sectionOf(name, change)])
  }
  const sections = [...releases].map(([release, rows]) => `## ${release}\n\n${rows.join('\n\n')}\n`)
  return `${introduction}\n${sections.join('\n')}`
}

function sectionOf(name: string, { what, who, see, until, reference, requirements }: ReleaseChange): string {
  const shown = 'scenario' in see ? `\`svc-sim run scenarios/${see.scenario}.yaml\`` : see.ask
  const lines = [
    `**\`${name}\`**${until === undefined ? '' : ` (until ${releaseText(until)})`}. ${what}`,
    '',
    `- Who notices: ${who}.`,
    `- How to see it: ${shown}.`,
    `- Reference: ${[reference, ...requirements].join(', ')}.`,
  ]
  return lines.join('\n')
}

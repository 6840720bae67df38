import { optionText, refusedOptions } from '../../src/config/past/removed.ts'
import {
  type Behaviour,
  changes,
  newestRelease,
  oldestRelease,
  type Release,
  type ReleaseChange,
  releaseText,
} from '../../src/model/release.ts'
import { adviceAt, moments, type UpgradeAdvice, type UpgradeNote } from '../../src/model/upgrade-note.ts'
import { adviceOnChanges, furtherNotes } from '../../src/model/upgrade-notes.ts'
import { order } from '../../src/model/upgrade-way.ts'
import { areas } from './statements.ts'

const introduction = `# Releases

This page lists what changed with each release, from ${releaseText(oldestRelease)} to ${releaseText(newestRelease)}: who is affected, how to see the
change, and what to do about it in an upgrade. [Upgrades](upgrades.md) describes how \`svc-sim plan\` collects this for
one upgrade, and rehearses it.

An agent can run as an earlier release, to show how the past behaved and to rehearse upgrades: \`svc agent -release
1.0.0\`, or in a scenario \`release: 1.0.0\` at a node and the step \`upgrade\`. Such an agent behaves as it is described
under *before* for each later change. A release that is not listed behaves like the one before it, and behaviour that
is not listed is that of ${releaseText(newestRelease)}. In production there is one release, the newest.

Agents of different releases may be in one cluster. They then misbehave for the same reasons as the real ones did: a
server stops at a replicated command that its release does not know, and servers whose Raft protocols are not
neighbours do not understand each other.

This page is made from the tables in \`src/model\` (\`SVC_WRITE_DOCS=1 npx vitest run test/unit/model\` writes it).
`

const leftOut = `## What is not rebuilt

Agents cannot show some changes of the past, or it is not worth while. For these an agent behaves as in ${releaseText(newestRelease)},
whatever release it runs as.

| change | why it is left out |
|---|---|
| \`-rpc-addr\` of commands (REL-0.8.0-2), \`monitor\` and the keyring on port 8400 | the command line is that of the newest release, and talks HTTP |
| values of \`retry_join\` that are encoded as in URLs (REL-1.0-7) | no cloud is asked by any release here |
| reaping of children (REL-0.7.1-1), archives of the web interface (REL-0.6-7, REL-0.9.0-2) | they concern how the program was packed and started |
| the memory of servers (REL-0.6-4) | the state is in memory in every release here |
| what a replicated command does to the state: reacquired locks (REL-0.6-9), \`ModifyIndex\` of a service that is registered again as it is (REL-1.3.0-5), sessions without \`serfHealth\` (REL-1.0.2-1) | servers of different releases would have different states at one index; for the simulator that is a broken cluster, as it should be |
| how long a request is held while there is no leader: not at all before 0.7, for 5 s before 1.0 (REL-0.7-10) | it is \`performance.rpc_hold_timeout\` in all releases here |
| IDs and metadata of nodes before 0.7.3 (REL-0.7.3-1), watches of whole tables (REL-0.7.3-1) | agents find each other by their IDs |
| compressed answers over HTTP (REL-1.0.7-5), answers of more than 64 KiB by TCP (REL-1.0.7-6), DNS over UDP without a limit before 0.6.4 (REL-0.6.4-4) | the older behaviour is only slower, or breaks the client |
| damaged files of registrations (REL-1.0.3-2) | registrations are in one journal, which is recovered |
| arguments after flags (REL-1.0.1-4), node metadata from flags instead of files (REL-1.0.2-1) | the command line is that of the newest release |
| renamed nodes, client subnets in DNS answers, \`Datacenter\` of nodes, limits of leaving (REL-1.2.3-1, REL-0.8.2-1, REL-0.8.4-1) | additions that older clients ignore |
| segments and network areas | they belong to the commercial edition |
`

/** The page docs/releases.md, whole. */
export function releasesPage(): string {
  const parts = [...changedParts(), ...notedParts(), ...refusedParts()].sort((one, other) =>
    order(one.since, other.since),
  )
  const releases = new Map<string, string[]>()
  for (const { since, text } of parts) {
    const release = releaseText(since)
    releases.set(release, [...(releases.get(release) ?? []), text])
  }
  const sections = [...releases].map(([release, texts]) => `## ${release}\n\n${joined(texts)}\n`)
  return withLinks(`${introduction}\n${broken(sections.join('\n'))}\n${leftOut}`)
}

/** Room for the brackets of the links that a line gets later. */
const widthMax = 108

/** Breaks the lines of paragraphs and list items at spaces outside code. */
function broken(text: string): string {
  const words = (line: string): readonly string[] => line.match(/(?:`[^`]*`|[^\s`])+/g) ?? []
  return text
    .split('\n')
    .map((line) => {
      if (line.length <= widthMax) return line
      const [first = '', ...rest] = words(line)
      const indent = first === '-' ? '  ' : ''
      const lines = [first]
      for (const word of rest) {
        const last = lines.at(-1) ?? ''
        if (last.length + word.length < widthMax) lines[lines.length - 1] = `${last} ${word}`
        else lines.push(`${indent}${word}`)
      }
      return lines.join('\n')
    })
    .join('\n')
}

/** Sections of the reference that changes name where no row has them. */
const namedSections: ReadonlyMap<string, string> = new Map([
  ['section 0, defaults', 'reference/releases.md#changed-defaults'],
  ['section 0, internal protocol', 'reference/releases.md#internal-protocol'],
  ['section 0, Raft protocol', 'reference/releases.md#raft-protocol'],
  ['telemetry 3', 'reference/telemetry.md#doubled-names'],
  ['spec, Ver/0.7', 'reference/statements/membership.md#mem-023'],
  ['spec, multi-datacenter mesh CA', 'reference/statements/federation.md'],
])

/** The page with a link from every row of the reference, every section and every statement, which stand below. */
function withLinks(page: string): string {
  const targets = new Map(namedSections)
  for (const { page: file, statements } of areas()) {
    for (const { id } of statements) targets.set(id, `reference/statements/${file}#${id.toLowerCase()}`)
  }
  for (const [row] of page.matchAll(/\bREL-\d[\d.]*-\d+\b/g))
    targets.set(row, `reference/releases.md#${row.toLowerCase()}`)
  const used = [...targets].filter(([name]) => page.includes(name)).sort(([a], [b]) => (a < b ? -1 : 1))
  const names = used.map(([name]) => name.replace(/[.]/g, '\\.')).toSorted((a, b) => b.length - a.length)
  const linked = page.replace(new RegExp(`\\b(?:${names.join('|')})(?![\\w-])`, 'g'), '[$&]')
  return `${linked}\n${used.map(([name, target]) => `[${name}]: ${target}\n`).join('')}`
}

/** Paragraphs, but items of one list stand close together. */
function joined(texts: readonly string[]): string {
  return texts.reduce((page, text) => {
    if (page === '') return text
    const isItem = text.startsWith('- ')
    const inList = isItem && (page.split('\n').at(-1) ?? '').startsWith('- `')
    return `${page}${inList ? '\n' : '\n\n'}${text}`
  }, '')
}

interface Part {
  readonly since: Release
  readonly text: string
}

function changedParts(): readonly Part[] {
  return Object.entries<ReleaseChange>(changes).map(([name, change]) => {
    const { who, see, since, until, reference, requirements } = change
    const shown = 'scenario' in see ? `\`svc-sim run scenarios/${see.scenario}.yaml\`` : see.ask
    const lines = [
      `**\`${name}\`**${until === undefined ? '' : ` (until ${releaseText(until)})`}. ${datedText(change)}`,
      '',
      `- Affected: ${who}.`,
      `- How to see it: ${shown}.`,
      ...adviceLines(adviceOnChanges[name as Behaviour] ?? {}),
      `- Reference: ${[reference, ...requirements].join(', ')}.`,
    ]
    return { since, text: lines.join('\n') }
  })
}

/** What a change did, with the release for what the row calls "then". */
function datedText({ what, since }: ReleaseChange): string {
  const release = releaseText(since)
  const dated = what.replace(/Since then (.)/, (_, first: string) => `Since ${release}: ${first.toUpperCase()}`)
  return `Before ${release}: ${dated}`
}

/** Differences that simulated agents do not show, and that operators must nevertheless know for an upgrade. */
function notedParts(): readonly Part[] {
  return Object.entries<UpgradeNote>(furtherNotes).map(([name, note]) => {
    const title = `**${name.replaceAll('-', ' ')}**, for upgrades.`
    const lines = [title, '', ...adviceLines(note), `- Reference: ${note.reference}.`]
    return { since: note.since, text: lines.join('\n') }
  })
}

function refusedParts(): readonly Part[] {
  return refusedOptions().map((option) => ({
    since: option.since,
    text: `- \`${optionText(option)}\` is refused: ${option.instead}.`,
  }))
}

function adviceLines(advice: UpgradeAdvice): readonly string[] {
  return moments.flatMap((moment) =>
    adviceAt(advice, moment).map((sentence) => `- ${momentTexts[moment]}: ${sentence}`),
  )
}

const momentTexts = {
  before: 'Before the upgrade',
  during: 'During the upgrade',
  after: 'After the upgrade',
} as const

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { FullStory } from '../../../sim/report/full-story.ts'
import { storyLines } from '../../../sim/report/story-lines.ts'
import type { TraceRecord } from '../../../sim/report/trace-record.ts'

const path = join(new URL('../../..', import.meta.url).pathname, 'docs/story.md')

/** The lines of a story in which machines come to these states, one after the other. */
function storyOf(...states: readonly (readonly [node: string, state: Readonly<Record<string, unknown>>])[]): string[] {
  const told: string[] = []
  const story = new FullStory((_, text) => told.push(text))
  for (const [at, [node, state]] of states.entries()) {
    const text = typeof state['log'] === 'string' ? state['log'] : ''
    story.add({ n: at + 1, t: at, node, kind: 'log', causes: [], text, state } as TraceRecord)
  }
  return told
}

const is = (role: string, term: number, more: object = {}) => ({ consensus: { role, term, ...more } })
const believes = (member: string, status: string | null) => ({
  datacenter: 'dc1',
  pools: { lan: { members: { [member]: status === null ? null : { status } } } },
})
const leads = (replicated: object) => ({ datacenter: 'dc1', consensus: { role: 'leader' }, replicated })

describe('the full story', () => {
  it('tells elections: the question before, the candidate, each vote, the leader, and its end', () => {
    const story = storyOf(
      ['s1', is('follower', 1)],
      ['s1', is('pre-candidate', 1)],
      ['s1', is('candidate', 2, { votedFor: 's1' })],
      ['s2', is('follower', 2, { votedFor: 's1' })],
      ['s2', { consensus: { log: { applied: 4 } } }],
      ['s1', is('leader', 2)],
      ['s1', { consensus: { log: { applied: 5 } } }],
      ['s1', is('follower', 3)],
    )
    expect(story).toEqual([
      's1 asks whether it could win term 2',
      's1 stands for election in term 2',
      's2 votes for s1 in term 2',
      's1 leads in term 2',
      's1 no longer leads',
    ])
  })

  it('tells what the configuration of a leader gains and loses, and nothing when it is first seen', () => {
    const configuration = (servers: object) => is('leader', 2, { configuration: servers })
    const voter = 'voter at 10.0.0.1:8300'
    const story = storyOf(
      ['s1', configuration({ s1: voter, s2: voter })],
      ['s1', configuration({ s1: voter, s2: voter, s3: 'nonvoter at 10.0.0.3:8300' })],
      ['s1', { consensus: { configuration: { s2: null, s3: 'voter at 10.0.0.3:8300' } } }],
    )
    expect(story.slice(1)).toEqual([
      's3 becomes a nonvoter of the configuration',
      's2 leaves the configuration',
      's3 becomes a voter of the configuration',
    ])
  })

  it('tells what is believed of a member once, for the first to believe it', () => {
    const story = storyOf(
      ['s1', believes('c1', 'alive')],
      ['s2', believes('c1', 'alive')],
      ['s2', believes('c1', 'suspect')],
      ['s1', believes('c1', 'suspect')],
      ['s1', believes('c1', 'alive')],
      ['s2', believes('c1', 'failed')],
      ['s2', believes('c1', null)],
      ['c1', believes('c1', 'alive')],
    )
    expect(story).toEqual([
      'c1 is seen alive, first by s1',
      'c1 is suspected, first by s2',
      'c1 refutes the suspicion, as s1 hears first',
      'c1 counts as failed, first for s2',
      'c1 is forgotten, first by s2',
    ])
  })

  it('tells modes, rotations, roots and locks as the leader has them', () => {
    const story = storyOf(
      ['s1', leads({ access: { mode: 'legacy' }, mesh: { roots: ['aa (active)'] }, locks: [] })],
      ['s1', leads({ access: { mode: 'new' }, mesh: { rotation: 'crossed' } })],
      ['s1', leads({ mesh: { rotation: null, roots: ['aa', 'bb (active)'] }, locks: ['key a by session 7'] })],
      ['s1', leads({ mesh: { roots: ['bb (active)'] }, locks: [] })],
      ['s2', { datacenter: 'dc1', consensus: { role: 'follower' }, replicated: { locks: ['key b by session 9'] } }],
    )
    expect(story.filter((line) => !line.includes('leads'))).toEqual([
      'the root aa is listed',
      'the root aa is active',
      'access control of dc1 is in its new mode',
      'the rotation of the root in dc1: crossed',
      'the root bb is listed',
      'the root bb is active',
      'key a by session 7: locked',
      'the root aa is dropped',
      'key a by session 7: released',
    ])
  })

  it('is explained, line by line, by its page (SVC_WRITE_DOCS=1 writes it)', () => {
    const rows = Object.values(storyLines).map(({ text, means }) => `| \`${text('A', 'B')}\` | ${means} |`)
    const table = ['| line | what it means |', '|---|---|', ...rows].join('\n')
    const page = readFileSync(path, 'utf8')
    const filled = page.replace(/(<!-- table: story -->\n)[\s\S]*?(<!-- end -->)/, (_, begin, end) => {
      return `${begin}\n${table}\n\n${end}`
    })
    if (process.env['SVC_WRITE_DOCS'] === '1') writeFileSync(path, filled)
    else expect(page).toBe(filled)
  })
})

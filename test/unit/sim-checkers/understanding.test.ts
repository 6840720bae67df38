import { describe, expect, it } from 'vitest'
import { Understanding } from '../../../sim/checkers/understanding.ts'
import { recorder } from './reports.ts'

interface Answered {
  readonly text: string
  readonly status?: number
  readonly where?: string
  readonly tookMs?: number
  readonly contactS?: number | undefined
  readonly releases?: number
  /** When the agents of older releases came to run the newest, in seconds. */
  readonly upgradedS?: number
}

/**
 * What P3 has to say of one answer, twenty seconds after the run began, by an agent that has been in contact since the
 * first.
 */
function judged({ text, status = 500, where = '/v1/kv/k', tookMs = 5, releases = 1, upgradedS, ...given }: Answered) {
  const { judge, lines, counts } = recorder()
  const contactUs = 'contactS' in given ? given.contactS && given.contactS * 1e6 : 1e6
  let nowUs = 0
  const checker = new Understanding({ ...judge, nowUs: () => nowUs, contactSinceUs: () => contactUs })
  const runs = (node: number, minor: number): void => checker.runsAs(`s${node}`, { major: 1, minor, patch: 0 })
  for (let minor = 0; minor < releases; minor++) runs(minor, minor)
  if (upgradedS !== undefined) {
    nowUs = upgradedS * 1e6
    for (let node = 0; node < releases; node++) runs(node, releases - 1)
  }
  nowUs = 20e6
  checker.answered({ node: 's1', where, status, tookMs, text: () => text })
  return { lines, counts: counts() }
}

describe('P3', () => {
  it.each(['KV.Get: malformed answer', 'Txn.Apply: malformed arguments\n'])(
    'is broken by %j, in whatever state the cluster is',
    (text) => {
      expect(judged({ text, contactS: undefined }).lines).toEqual([
        `P3: s1 answers /v1/kv/k with '${text.trim()}', and all agents are of one release`,
      ])
    },
  )

  it.each(['No cluster leader', 'Internal error', 'no answer to KV.Get in time', 'No known Svc servers'])(
    'is broken by %j of an agent in contact',
    (text) => {
      expect(judged({ text }).lines).toEqual([
        `P3: s1 answers /v1/kv/k with '${text}', in contact with its leader for 19.000 s`,
      ])
    },
  )

  it.each([
    ['a refusal', { text: "Invalid Session TTL '1', must be between [10s=24h0m0s]" }],
    ['a success', { text: 'KV.Get: malformed answer', status: 200 }],
    ['an agent without contact', { text: 'No cluster leader', contactS: undefined }],
    ['contact that began a moment before the request', { text: 'No cluster leader', contactS: 18 }],
    ['a request from before contact', { text: 'No cluster leader', tookMs: 18_000 }],
    ['a request for another datacenter', { text: 'No cluster leader', where: '/v1/kv/k?dc=dc2' }],
  ] as const)('says nothing of %s', (_, answered) => {
    expect(judged(answered)).toEqual({ lines: [], counts: ['P3 1'] })
  })

  it('lets agents of two releases, and of two datacenters, misunderstand each other', () => {
    const text = 'KV.Get: malformed answer'
    expect(judged({ text, releases: 2 })).toEqual({ lines: [], counts: ['P3 1', 'P3 excused: other releases 1'] })
    const elsewhere = judged({ text, where: '/v1/kv/k?recurse&dc=dc2' })
    expect(elsewhere).toEqual({ lines: [], counts: ['P3 1', 'P3 excused: another datacenter 1'] })
  })

  it('lets them do so until all are of one release, and a request from before that, or from soon after it', () => {
    const text = 'KV.Get: malformed answer'
    const excused = ['P3 1', 'P3 excused: other releases 1']
    expect(judged({ text, releases: 3, upgradedS: 18 }).counts).toEqual(excused)
    expect(judged({ text, releases: 3, upgradedS: 10, tookMs: 9_000 }).counts).toEqual(excused)
    expect(judged({ text, releases: 3, upgradedS: 10 }).lines).toHaveLength(1)
    expect(judged({ text: 'Internal error', releases: 2, upgradedS: 10 }).lines).toHaveLength(1)
    expect(judged({ text: 'Internal error', releases: 2, upgradedS: 18 }).counts).toEqual(excused)
  })
})

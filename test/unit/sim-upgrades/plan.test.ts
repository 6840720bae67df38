import { describe, expect, it } from 'vitest'
import { type PlanOrder, type PlanStep, planUpgrade, type UpgradePlan } from '../../../sim/upgrades/plan.ts'
import { planText } from '../../../sim/upgrades/plan-text.ts'
import { rehearsalText, unrehearsed } from '../../../sim/upgrades/rehearsal.ts'
import { parseRelease, type Release, raftProtocolsOf, releaseText } from '../../../src/model/release.ts'
import { everyPair } from '../../tools/every-release.ts'

function release(text: string): Release {
  const parsed = parseRelease(text)
  if (parsed === undefined) throw new Error(`${text} is no release`)
  return parsed
}

const usual = { servers: 3, clients: 2, datacenters: ['dc1'], accessControl: false, through: 'needed' } as const

function planOf(from: string, to: string, rest: Partial<PlanOrder> = {}): UpgradePlan {
  const plan = planUpgrade({ ...usual, ...rest, from: release(from), to: release(to) })
  if (!plan.ok) throw new Error(plan.error)
  return plan.value
}

/** `dc1 servers 1.4.0 raft 2 by leader`, `dc1 clients 1.4.0`, `dc1 agents protocol 2`. */
function brief(step: PlanStep): string {
  const protocol = step.agentProtocol === undefined ? [] : [`protocol ${step.agentProtocol}`]
  if (step.kind === 'agents') return [step.datacenter, 'agents', ...protocol].join(' ')
  if (step.kind === 'clients') return [step.datacenter, 'clients', releaseText(step.release), ...protocol].join(' ')
  const to = step.release === undefined ? [] : [releaseText(step.release)]
  const raft = step.raftProtocol === undefined ? [] : [`raft ${step.raftProtocol}`]
  const names = step.names === 'stay' ? [] : [`by ${step.names}`]
  return [step.datacenter, 'servers', ...to, ...raft, ...protocol, ...names].join(' ')
}

function stepsOf(plan: UpgradePlan): readonly string[] {
  return plan.legs.flatMap(({ steps }) => steps.map(brief))
}

describe('the steps of an upgrade', () => {
  it.each([
    [
      '0.2.0',
      '0.7.0',
      [
        'dc1 servers 0.5.1 protocol 1',
        'dc1 clients 0.5.1 protocol 1',
        'dc1 agents protocol 2',
        'dc1 servers 0.7.0',
        'dc1 clients 0.7.0',
      ],
    ],
    ['0.4.0', '0.5.0', ['dc1 servers 0.5.0', 'dc1 clients 0.5.0']],
    ['0.5.0', '0.6.0', ['dc1 servers 0.5.1', 'dc1 clients 0.5.1', 'dc1 servers 0.6.0', 'dc1 clients 0.6.0']],
    ['0.5.1', '0.6.0', ['dc1 servers 0.6.0', 'dc1 clients 0.6.0']],
    ['0.6.4', '0.7.0', ['dc1 servers 0.7.0', 'dc1 clients 0.7.0']],
    ['0.6.4', '0.8.0', ['dc1 servers 0.8.0 raft 1', 'dc1 servers raft 2', 'dc1 clients 0.8.0']],
    ['0.7.0', '0.8.0', ['dc1 servers 0.8.0', 'dc1 clients 0.8.0']],
    ['0.7.0', '1.0.0', ['dc1 servers 1.0.0 raft 2', 'dc1 servers raft 3 by leader', 'dc1 clients 1.0.0']],
    ['0.9.0', '1.0.0', ['dc1 servers 1.0.0 by leader', 'dc1 clients 1.0.0']],
    ['1.2.3', '1.3.1', ['dc1 servers 1.3.1', 'dc1 clients 1.3.1']],
    [
      '0.4.0',
      '1.4.0',
      [
        'dc1 servers 0.5.1',
        'dc1 clients 0.5.1',
        'dc1 servers 1.4.0 raft 1',
        'dc1 servers raft 2',
        'dc1 servers raft 3 by leader',
        'dc1 clients 1.4.0',
      ],
    ],
  ] as const)('from %s to %s are these', (from, to, steps) => {
    expect(stepsOf(planOf(from, to))).toEqual(steps)
  })

  it('of a single server have its new name told by a file', () => {
    expect(stepsOf(planOf('0.9.0', '1.4.0', { servers: 1 }))).toEqual([
      'dc1 servers 1.4.0 by peers.json',
      'dc1 clients 1.4.0',
    ])
  })

  it('of several datacenters begin with the primary one, and pass each release everywhere', () => {
    expect(stepsOf(planOf('0.5.0', '0.6.0', { datacenters: ['west', 'east'], clients: 0 }))).toEqual([
      'west servers 0.5.1',
      'east servers 0.5.1',
      'west servers 0.6.0',
      'east servers 0.6.0',
    ])
  })

  it('leave one without a vote where votes are given in pairs, and no longer', () => {
    const voters = (to: string, servers: number): readonly unknown[] =>
      planOf('0.9.0', to, { servers }).legs.flatMap(({ steps }) =>
        steps.flatMap((step) => (step.kind === 'servers' ? [step.voters] : [])),
      )
    expect([voters('1.0.0', 4), voters('1.0.0', 3), voters('1.0.1', 4)]).toEqual([[3], [3], [4]])
  })

  it('pass through every release that changed something where that is asked for, but for the one that is better left out', () => {
    const way = planOf('1.0.0', '1.4.0', { through: 'every' }).legs.map(({ leg }) => releaseText(leg.to))
    expect(way).toEqual(expect.arrayContaining(['1.0.1', '1.0.7', '1.1.0', '1.3.1', '1.4.0']))
    expect(way).not.toContain('1.3.0')
  })

  it('are such that servers that meet always speak neighbouring Raft protocols, and end with the default', () => {
    for (const [from, to] of everyPair()) {
      const { legs } = planOf(releaseText(from), releaseText(to))
      const spoken = legs.flatMap(({ leg }) => leg.protocols)
      for (const [at, protocol] of spoken.entries()) {
        expect(
          Math.abs(protocol - (spoken[at - 1] ?? protocol)),
          `${releaseText(from)} to ${releaseText(to)}`,
        ).toBeLessThan(2)
      }
      expect(spoken.at(-1)).toBe(raftProtocolsOf(to).spoken)
    }
  })
})

describe('what is no upgrade', () => {
  it.each([
    ['1.4.0', '1.3.1', /would be a downgrade/],
    ['1.0.0', '1.0.0', /nothing to do/],
    ['0.1.0', '1.0.0', /release 0\.1\.0 is unknown: plans cover releases 0\.2\.0 to 1\.4\.0/],
    ['1.0.0', '1.5.0', /release 1\.5\.0 is unknown/],
  ])('%s to %s is refused in words', (from, to, words) => {
    const plan = planUpgrade({ ...usual, from: release(from), to: release(to) })
    expect(plan.ok ? undefined : plan.error).toMatch(words)
  })
})

describe('the text of a plan', () => {
  it('gives a reason for every step, and what is to be done before, meanwhile and after', () => {
    const text = planText(planOf('0.9.0', '1.4.0'))
    expect(text).toContain('1. dc1: servers as 1.4.0, one by one, the leader last')
    expect(text).toContain(
      'Servers of 0.9.0 speak Raft protocol 2, those of 1.4.0 3: these differ by one, so they talk.',
    )
    expect(text).toContain('Upgrade servers before clients: an older server finds nothing for a newer client')
    expect(text).toContain('`recursor`: refused since 1.0.0: use')
    expect(text).toContain('refused since 1.0.0: write service_id; with capitals it is still read.')
    expect(text).toContain('Write `raft_snapshot_threshold` = 8192 in the configuration of servers')
    expect(text).toContain('begin again at index 0')
    expect(text).toContain('! There is no way back from 1.4.0')
    expect(text.match(/^ {4}\d+\. /gm)).toHaveLength(2)
  })

  it('speaks of access control where there is some, and says that the rehearsal has none', () => {
    const plain = planOf('0.7.0', '1.4.0')
    const ruled = planOf('0.7.0', '1.4.0', { accessControl: true })
    expect(planText(plain)).not.toContain('(with access control)')
    expect(planText(ruled)).toContain('Set `acl_enforce_version_8` to false on servers and clients.')
    expect(planText(ruled)).toContain('until every server of the primary datacenter runs 1.4.0')
    expect([unrehearsed(plain).join(' '), unrehearsed(ruled).join(' ')]).toEqual([
      expect.not.stringContaining('Access control'),
      expect.stringContaining('Access control'),
    ])
  })

  it('warns of a release that is better left out, and of few servers', () => {
    const { warnings } = planOf('1.2.3', '1.3.0', { servers: 2 })
    expect(warnings.join(' ')).toMatch(/1\.3\.1 rather than 1\.3\.0.*Two servers/)
    expect(planOf('1.2.3', '1.3.1').warnings).toEqual([])
  })
})

describe('the rehearsal of a plan', () => {
  it('has a step for each step of the plan', () => {
    const plan = planOf('0.7.0', '1.4.0')
    const text = rehearsalText(plan, 'svc-sim plan')
    expect(text.match(/^ {4}upgrade:$/gm)).toHaveLength(3)
    expect(text).toContain(
      '- step: the servers of dc1 go to 1.4.0 with Raft protocol 2, one by one and the leader last',
    )
    expect(text).toContain('nodes: "dc1/followers, dc1/leader"')
    expect(text).toContain('- step: the clients of dc1 go to 1.4.0')
  })

  it('says of one server what it does', () => {
    const text = rehearsalText(planOf('0.7.0', '1.4.0', { servers: 1 }), 'svc-sim plan')
    expect(text).toContain('- step: the server of dc1 goes to 1.4.0 with Raft protocol 2')
    expect(text).toContain('- step: the server of dc1 speaks Raft protocol 3')
  })
})

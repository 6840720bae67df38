import { describe, expect, it } from 'vitest'
import { type Selectable, select } from '../../../sim/notation/selection.ts'
import { selectorOf, selectorOfList } from '../../../sim/notation/selector.ts'
import { Decisions } from '../../../sim/world/decisions/decisions.ts'

const five: Selectable = {
  servers: ['s1', 's2', 's3', 's4', 's5'],
  clients: ['c1', 'c2'],
  datacenterOf: () => 'dc1',
  isRunning: (server) => server !== 's5',
  leader: () => 's2',
  saved: (name) => (name === 'old leader' ? ['s4'] : undefined),
  it: 's3',
  except: [],
  draw: { inOrder: (items) => items },
}

function selected(text: string, among: Selectable = five): readonly string[] {
  const selector = selectorOf(text)
  if (!selector.ok) throw new Error(selector.error)
  return select(selector.value, among)
}

describe('a selection of nodes', () => {
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ['s4', ['s4']],
    ['s4, s1, s4', ['s1', 's4']],
    ['leader', ['s2']],
    ['dc1/leader', ['s2']],
    ['followers', ['s1', 's3', 's4']],
    ['all servers', ['s1', 's2', 's3', 's4', 's5']],
    ['dc1/servers', ['s1', 's2', 's3', 's4', 's5']],
    ['running', ['s1', 's2', 's3', 's4']],
    ['crashed', ['s5']],
    ['it', ['s3']],
    ['others', ['s1', 's2', 's4', 's5']],
    ['half of others', ['s1', 's2']],
    ['one of followers', ['s1']],
    ['2 of servers', ['s1', 's2']],
    ['9 of followers', ['s1', 's3', 's4']],
    ['minority', ['s1', 's2']],
    ['majority', ['s1', 's2', 's3']],
    ['minority with the leader', ['s1', 's2']],
    ['majority with the leader', ['s1', 's2', 's3']],
    ['${old leader}', ['s4']],
    ['c2', ['c2']],
    ['clients', ['c1', 'c2']],
    ['all nodes', ['s1', 's2', 's3', 's4', 's5', 'c1', 'c2']],
    ['c1, s2', ['s2', 'c1']],
    ['one of clients', ['c1']],
    ['other nodes', ['s1', 's2', 's4', 's5', 'c1', 'c2']],
    ['others of leader', ['s1', 's3', 's4', 's5']],
    ['the others of s1, s2', ['s3', 's4', 's5']],
    ['s1, others of s1, s2', ['s1', 's3', 's4', 's5']],
    ['dc1/others of the leader', ['s1', 's3', 's4', 's5']],
    ['others of ${old leader}', ['s1', 's2', 's3', 's5']],
    ['one of others of s1, s2', ['s3']],
    ['others of others of leader', ['s2']],
    ['other nodes of leader, c1', ['s1', 's3', 's4', 's5', 'c2']],
    ['others of clients', ['s1', 's2', 's3', 's4', 's5']],
  ]
  for (const [text, servers] of cases) {
    it(`'${text}' means ${servers.join(', ')}`, () => {
      expect(selected(text)).toEqual(servers)
    })
  }

  it('leaves out, within a datacenter, what is meant there', () => {
    const two: Selectable = {
      ...five,
      datacenterOf: (node) => (node === 's1' || node === 's2' ? 'dc1' : 'dc2'),
      leader: (datacenter) => (datacenter === 'dc2' ? 's4' : 's2'),
    }
    expect(selected('dc2/others of leader', two)).toEqual(['s3', 's5'])
    expect(selected('dc1/others of leader', two)).toEqual(['s1'])
  })

  it('keeps the items of a list apart', () => {
    const list = selectorOfList(['others of s1', 's1'])
    if (!list.ok) throw new Error(list.error)
    expect(select(list.value, five)).toEqual(['s1', 's2', 's3', 's4', 's5'])
  })

  it('is empty where there is no leader', () => {
    const leaderless = { ...five, leader: () => undefined }
    expect(selected('leader', leaderless)).toEqual([])
    expect(selected('minority with the leader', leaderless)).toEqual([])
    expect(selected('followers', leaderless)).toEqual(['s1', 's2', 's3', 's4'])
  })

  it('draws from all of a group alike', () => {
    const seen = new Set<string>()
    for (let seed = 0; seed < 60; seed++) {
      const draw = new Decisions(String(seed), () => 0).draws('selection')
      for (const server of selected('one of servers', { ...five, draw })) seen.add(server)
    }
    expect([...seen].sort()).toEqual(['s1', 's2', 's3', 's4', 's5'])
  })
})

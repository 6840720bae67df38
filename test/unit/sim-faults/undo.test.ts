import { describe, expect, it } from 'vitest'
import { LinkCuts } from '../../../sim/faults/link-cuts.ts'
import { Overrides } from '../../../sim/faults/overrides.ts'

function network(): { readonly cuts: LinkCuts; readonly links: Set<string> } {
  const links = new Set<string>()
  const cuts = new LinkCuts({
    cut: (from, to) => void links.add(`${from}>${to}`),
    heal: (from, to) => void links.delete(`${from}>${to}`),
  })
  return { cuts, links }
}

describe('cut links', () => {
  it('carry nothing both ways, or one way', () => {
    const { cuts, links } = network()
    const undo = cuts.cut(['s1'], ['s1', 's2'], false)
    cuts.cut(['s3'], ['s1'], true)
    expect([...links].sort()).toEqual(['s1>s2', 's2>s1', 's3>s1'])
    undo()
    expect([...links]).toEqual(['s3>s1'])
  })

  it('stay cut until the last fault that cut them is over', () => {
    const { cuts, links } = network()
    const first = cuts.cut(['s1'], ['s2'], true)
    const second = cuts.cut(['s1'], ['s2'], false)
    first()
    first()
    expect([...links].sort()).toEqual(['s1>s2', 's2>s1'])
    second()
    expect([...links]).toEqual([])
  })

  it('are mended by hand, after which the end of the old fault leaves a new one alone', () => {
    const { cuts, links } = network()
    const old = cuts.partition([['s1'], ['s2', 's3']])
    cuts.heal(undefined)
    expect([...links]).toEqual([])
    cuts.cut(['s1'], ['s2'], true)
    old()
    expect([...links]).toEqual(['s1>s2'])
  })

  it('are mended for some servers only', () => {
    const { cuts, links } = network()
    cuts.partition([['s1'], ['s2'], ['s3']])
    cuts.heal(['s1'])
    expect([...links].sort()).toEqual(['s2>s3', 's3>s2'])
  })
})

describe('links of a core', () => {
  it('are mended among its nodes, and stay cut to all others', () => {
    const { cuts, links } = network()
    const undo = cuts.partition([['s1'], ['s2'], ['s3']])
    cuts.healAmong(['s1', 's2'])
    expect([...links].sort()).toEqual(['s1>s3', 's2>s3', 's3>s1', 's3>s2'])
    expect(cuts.count).toBe(4)
    undo()
    expect([...links]).toEqual([])
  })
})

describe('settings laid over one another', () => {
  it('give way to what is under them, in whatever order they end', () => {
    const said: string[] = []
    const overrides = new Overrides<string>((node, setting) => said.push(`${node} ${setting ?? 'own'}`))
    const slow = overrides.lay('s1', 'slow')
    const slower = overrides.lay('s1', 'slower')
    slow()
    slower()
    slower()
    expect(said).toEqual(['s1 slow', 's1 slower', 's1 slower', 's1 own'])
  })

  it('are all taken back at once', () => {
    const said: string[] = []
    const overrides = new Overrides<string>((node, setting) => said.push(`${node} ${setting ?? 'own'}`))
    const undo = overrides.lay('s1', 'slow')
    overrides.clear('s1')
    undo()
    overrides.clear('s1')
    expect(said).toEqual(['s1 slow', 's1 own'])
  })
})

import { describe, expect, it } from 'vitest'
import { type AskedFor, type HeldInstance, ReadTruth, toldOf } from '../../../sim/checkers/registrations/read-truth.ts'
import { recorder } from './reports.ts'

const zone = [['zone', 'north']] as const
const held: readonly HeldInstance[] = [
  { node: 'c2', id: 'web-1', port: 80, tags: ['blue'], nodeMeta: [], statuses: ['passing', 'warning'] },
  { node: 'c1', id: 'web-1', port: 81, tags: ['blue', 'old'], nodeMeta: zone, statuses: ['passing'] },
  { node: 'c1', id: 'web-2', port: 82, tags: [], nodeMeta: zone, statuses: ['critical'] },
]

describe('E7', () => {
  it.each<[AskedFor, string]>([
    [{ face: 'health' }, 'c1/web-1:81 c1/web-2:82 c2/web-1:80'],
    [{ face: 'catalog', how: 'near=_agent' }, 'c1/web-1:81 c1/web-2:82 c2/web-1:80'],
    [{ face: 'health', passing: true }, 'c1/web-1:81'],
    [{ face: 'health', tag: 'blue' }, 'c1/web-1:81 c2/web-1:80'],
    [{ face: 'catalog', nodeMeta: ['zone', 'north'] }, 'c1/web-1:81 c1/web-2:82'],
    [{ face: 'catalog', nodeMeta: ['zone', 'south'] }, ''],
    [{ face: 'health', tag: 'old', passing: true, nodeMeta: ['zone', 'north'] }, 'c1/web-1:81'],
    [{ face: 'dns' }, 'c1:81 c2:80'],
    [{ face: 'dns', tag: 'old' }, 'c1:81'],
  ])('of %o expects %s', (asked, told) => {
    expect(toldOf(held, asked)).toBe(told)
  })

  it('reports an answer that is not what the agents hold', () => {
    const { judge, lines, counts } = recorder()
    const truth = new ReadTruth(judge)
    truth.compared('web at c1', 'c1/web-1:81', 'c1/web-1:81')
    truth.changed()
    expect([lines, counts()]).toEqual([[], ['E7 1', 'E7 excused: changed meanwhile 1']])
    truth.compared('web at c1', 'c1/web-1:81', '')
    expect(lines).toEqual(['E7: web at c1 is answered with nothing, and the agents hold c1/web-1:81'])
  })

  it('knows the metadata of nodes from their settings', () => {
    const truth = new ReadTruth(recorder().judge)
    truth.configured({ nodeName: 'c1', nodeMeta: { zone: 'north' } })
    expect([truth.metaOf('c1'), truth.metaOf('c2')]).toEqual([zone, []])
  })
})

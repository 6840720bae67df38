import { describe, expect, it } from 'vitest'
import { typedAct } from '../../../sim/cli/play/typed-acts.ts'
import { wordsOf } from '../../../sim/cli/play/words.ts'

describe('a typed line', () => {
  it('has words as a shell has them', () => {
    expect(wordsOf(` put  color 'dark blue' "a\\"b" c\\ d '' `)).toEqual({
      ok: true,
      value: ['put', 'color', 'dark blue', 'a"b', 'c d', ''],
    })
    expect(wordsOf(`put 'color`)).toMatchObject({ ok: false })
  })

  it.each<[string, object]>([
    ['cut s1 s2', { do: { cut: { from: 's1', to: 's2' } } }],
    ['join s1 s2', { do: { heal: { among: ['s1', 's2'] } } }],
    ['partition s1|s2,s3', { do: { partition: { groups: [['s1'], ['s2', 's3']] } } }],
    ['crash leader for 5s', { do: { crash: 'leader', for: '5s' } }],
    ['clock s1 +5m', { do: { 'step clock': { nodes: 's1', by: '5m' } } }],
    ['clock s1 -1%', { do: { 'clock rate': { nodes: 's1', rate: '-1%' } } }],
    ['disk s1 full for 3s', { do: { 'fill disk': 's1', for: '3s' } }],
    ['upgrade s1 1.2.0', { upgrade: { node: 's1', to: '1.2.0' } }],
    ['set s1 {"a":1,"b":null}', { configure: { node: 's1', config: { a: 1 }, without: ['b'] } }],
    ['mend', { mend: true }],
  ])('%s is one act', (line, act) => {
    const [command = '', ...words] = line.split(' ')
    expect(typedAct(command, words)).toEqual({ ok: true, value: act })
  })

  it.each([
    'cut s1',
    'join s1 s2 s3',
    'partition s1',
    'crash',
    'crash s1 for',
    'clock s1',
    'disk s1 wet',
    'set s1 x',
    'mend s1',
  ])('%s is told how it is written', (line) => {
    const [command = '', ...words] = line.split(' ')
    expect(typedAct(command, words)).toMatchObject({ ok: false, error: expect.stringMatching(/^write: /) })
  })
})

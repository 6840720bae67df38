import { expect, it } from 'vitest'
import { loadScenario } from '../../../sim/scenario/language/load.ts'

const page = (groups: string): string => `scenario: Recursors
about: names outside
cluster: { dc1: { servers: { count: 1 } } }
recursors:
${groups}
lasts: 1s
`

it('has one group of recursors, because their addresses are fixed', () => {
  expect(loadScenario('page.yaml', page('  one: { at: servers }')).ok).toBe(true)
  const two = loadScenario('page.yaml', page('  one: { at: servers }\n  two: { at: servers }'))
  expect(two.ok ? [] : two.error.map(({ message }) => message)).toEqual(['write only one of these groups'])
})

import { describe, expect, it } from 'vitest'
import { type ServiceViews, viewFaults } from '../../../sim/checkers/pool/one-truth.ts'

/** c1 is well, c2 has a warning, c3 is critical. */
const sound: ServiceViews = {
  service: 'web',
  catalog: ['c1/web', 'c2/web', 'c3/web'],
  health: [
    { name: 'c1/web', place: 'c1:8080', checks: ['passing', 'passing'] },
    { name: 'c2/web', place: 'c2:8080', checks: ['passing', 'warning'] },
    { name: 'c3/web', place: 'c3:8080', checks: ['critical', 'passing'] },
  ],
  passing: ['c1/web'],
  dns: ['c2:8080', 'c1:8080'],
  onlyPassing: false,
}

describe('E2 one source', () => {
  it('accepts answers that agree, in whatever order', () => {
    expect(viewFaults(sound)).toEqual([])
    expect(viewFaults({ ...sound, catalog: [...sound.catalog].reverse() })).toEqual([])
    expect(viewFaults({ service: 'web', catalog: [], health: [], passing: [], dns: [], onlyPassing: false })).toEqual(
      [],
    )
  })

  it('says nothing of DNS for a name that cannot be asked for', () => {
    expect(viewFaults({ ...sound, dns: undefined })).toEqual([])
  })

  it('expects no instance with a warning in DNS of an agent that offers only those that pass', () => {
    expect(viewFaults({ ...sound, onlyPassing: true, dns: ['c1:8080'] })).toEqual([])
    expect(viewFaults({ ...sound, onlyPassing: true })).toHaveLength(1)
  })

  it.each([
    ['an instance that the catalog has and health has not', { catalog: [...sound.catalog, 'c4/web'] }],
    ['one that health has and the catalog has not', { catalog: ['c1/web', 'c2/web'] }],
    ['one among the healthy with a warning', { passing: ['c1/web', 'c2/web'] }],
    ['a healthy one that is left out', { passing: [] }],
    ['a critical one that DNS offers', { dns: ['c1:8080', 'c2:8080', 'c3:8080'] }],
    ['one that DNS leaves out', { dns: ['c1:8080'] }],
    ['one at another place in DNS', { dns: ['c1:8080', 'c2:8081'] }],
  ] as const)('reports %s', (_what, wrong) => {
    expect(viewFaults({ ...sound, ...wrong })).toHaveLength(1)
  })
})

import { describe, expect, it } from 'vitest'
import { datacentersByDistance } from '../../../src/features/discovery/datacenters.ts'

const place = (x: number) => ({ vec: [x, 0, 0, 0, 0, 0, 0, 0], error: 0, adjustment: 0, height: 0 })
const server = (datacenter: string, x: number | undefined, name = `s.${datacenter}`) => ({
  name,
  datacenter,
  coordinate: x === undefined ? undefined : place(x),
})

describe('datacenters in order of distance', () => {
  it('the own one first, then by the median time to their servers', () => {
    const servers = [
      server('far', 0.2),
      server('near', 0.01),
      server('near', 0.02),
      server('near', 9),
      server('own', 0.5),
      server('middle', 0.1),
    ]
    expect(datacentersByDistance({ own: place(0), servers }, 'own')).toEqual(['own', 'near', 'middle', 'far'])
  })

  it('without coordinates last, by name', () => {
    const servers = [server('b', undefined), server('a', undefined), server('z', 1)]
    expect(datacentersByDistance({ own: place(0), servers }, 'own')).toEqual(['own', 'z', 'a', 'b'])
    expect(datacentersByDistance({ own: undefined, servers }, 'own')).toEqual(['own', 'a', 'b', 'z'])
  })
})

import { describe, expect, it } from 'vitest'
import { MeshDomains } from '../../../sim/checkers/mesh/mesh-domains.ts'
import type { SeenCertificate } from '../../../sim/checkers/mesh/mesh-facts.ts'
import { begun, leaf, meshWorld, pem, root } from './mesh-world.ts'
import { recorder } from './reports.ts'

function certificate(name: string, ...uris: readonly string[]): SeenCertificate {
  return { identity: name, name, serial: `no. ${name}`, uris } as unknown as SeenCertificate
}

function judged(own: string, above: readonly SeenCertificate[], between: readonly SeenCertificate[] = []) {
  const { judge, lines, counts } = recorder()
  const held = { holder: 'web at c1', certificate: certificate('web', own), between }
  new MeshDomains(judge).given(held, above[0])
  return { lines, counts: counts() }
}

const service = 'spiffe://ab.svc/ns/default/dc/dc1/svc/web'

describe('C9, the trust domain of a leaf', () => {
  it('is that of its root, and of the authority of a datacenter between them', () => {
    const above = certificate('R1', 'spiffe://AB.svc')
    expect(judged(service, [above], [above, certificate('D2', 'spiffe://ab.svc')])).toEqual({
      lines: [],
      counts: ['C9 2'],
    })
  })

  it('is reported if its root, or what is between them, has another', () => {
    expect(judged(service, [certificate('R1', 'spiffe://cd.svc')]).lines).toEqual([
      'C9: leaf no. web of web at c1 is of ab.svc, and stands below R1, serial no. R1, of cd.svc',
    ])
    const between = [certificate('D2', 'spiffe://cd.svc')]
    expect(judged(service, [certificate('R1', 'spiffe://ab.svc')], between).lines).toEqual([
      'C9: leaf no. web of web at c1 is of ab.svc, and stands below D2, serial no. D2, of cd.svc',
    ])
  })

  it('is excused below a root that names none, and unknown of a root that no list has', () => {
    expect(judged(service, [certificate('R1')])).toEqual({ lines: [], counts: ['C9 excused: nameless root 1'] })
    expect(judged(service, [])).toEqual({ lines: [], counts: [] })
  })

  it('is judged for each leaf that an agent delivers', () => {
    const { counts } = begun()
    expect(counts()).toContain('C9 1')
    const { laws, lines, state } = meshWorld()
    state([root(1, true, [], { domain: 'other.svc' })])
    laws.given('web at c1', 'web', pem(leaf(1, 'R1', -20, 3_600, { service: 'web' })), 'key')
    expect(lines).toEqual(['C9: leaf 1 of web at c1 is of mesh.svc, and stands below R1, serial 100, of other.svc'])
  })
})

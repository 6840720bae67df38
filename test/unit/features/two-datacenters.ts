import { expect } from 'vitest'
import type { ProviderOptions } from '../../../src/features/connect/model.ts'
import * as views from '../../../src/features/connect/views.ts'
import { hostCrypto } from '../../../src/host/crypto.ts'
import { signRoot } from '../../../src/pki/mesh-certificates.ts'
import { certificatePem } from '../../../src/pki/pem.ts'
import { AuthorityWorld, granted, trustDomain } from './authority-world.ts'

export const minuteMs = 60_000
export const formerId = '99999999-2222-3333-4444-555555555555'
export const old = { name: 's1.dc1', datacenter: 'dc1', why: 'runs 1.3.1, which does not support it' }

export const knownThere = {
  own: undefined,
  servers: ['dc1', 'dc2'].map((datacenter) => ({ name: `s1.${datacenter}`, datacenter, coordinate: undefined })),
}

/** Two datacenters, each with a leader; both clocks are moved together. */
export class TwoDatacenters {
  primary: AuthorityWorld
  readonly secondary: AuthorityWorld
  missing: readonly (typeof old)[] = []

  constructor(
    ofPrimary: ProviderOptions = { LeafCertTTL: '4h' },
    ofSecondary: ProviderOptions = { LeafCertTTL: '4h' },
  ) {
    this.primary = new AuthorityWorld(ofPrimary)
    this.secondary = new AuthorityWorld(ofSecondary)
    this.secondary.server.self = { ...this.secondary.server.self, datacenter: 'dc2' }
    const mesh = this.secondary.server.mesh
    if (mesh !== undefined) this.secondary.server.mesh = { ...mesh, clusterId: formerId }
    this.join()
    this.primary.server.wanView = knownThere
    this.switch(true)
  }

  /** Whether the secondary one is to join, in the configuration of its servers. */
  switch(joins: boolean): void {
    const missing = () => this.missing
    this.secondary.server.federation = { primaryDatacenter: 'dc1', joins, missing, token: () => '' }
  }

  join(): void {
    this.secondary.server.peers.set('dc1', this.primary.server)
  }

  cut(): void {
    this.secondary.server.peers.clear()
  }

  async begin(): Promise<void> {
    this.primary.lead()
    await this.primary.rest()
    this.secondary.lead()
    await this.secondary.rest()
  }

  async advance(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= minuteMs) {
      await this.primary.advance(Math.min(minuteMs, left))
      await this.secondary.advance(Math.min(minuteMs, left))
    }
  }

  /** Both trust the same roots, except for the secondary's own former ones. */
  expectOne(): void {
    const ids = (world: AuthorityWorld) =>
      world.roots.filter(({ replacedMs, of }) => replacedMs === 0 || of !== '').map(({ id }) => id)
    expect(ids(this.secondary).at(-1)).toBe(this.primary.active.id)
    expect(views.trustDomainOf(this.secondary.server.read())).toBe(trustDomain)
  }
}

/** A leaf of the secondary datacenter. */
export function here(world: AuthorityWorld, domain = trustDomain): Promise<ReturnType<typeof granted>> {
  return world.signRequest(world.csr([`spiffe://${domain}/ns/default/dc/dc2/svc/web`])).then(granted)
}

/** A root that an operator gives, with its key. */
export function rootUntil(ms: number): ProviderOptions {
  const key = hostCrypto.makeSigningKey()
  const notBeforeMs = new TwoDatacenters().primary.nowMs - minuteMs
  const wishes = { serial: 77n, commonName: 'Short', uri: `spiffe://${trustDomain}` }
  const der = signRoot(hostCrypto, key, { ...wishes, notBeforeMs, notAfterMs: notBeforeMs + minuteMs + ms })
  return { PrivateKey: key.privateKeyPem, RootCert: certificatePem(der) }
}

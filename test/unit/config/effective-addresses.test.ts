import { describe, expect, it } from 'vitest'
import { configOfFlags } from '../../../src/config/flags.ts'
import { normalize } from '../../../src/config/normalize.ts'
import type { FileConfig } from '../../../src/config/schema.ts'
import { parseRelease } from '../../../src/model/release.ts'
import { linesOfConfig, machine, server } from './normalized.ts'

describe('the effective configuration', () => {
  it('[CFG-006] tells others the address that it advertises, wherever it listens, and the bind address if none', () => {
    const flags = configOfFlags(new Map([['advertise', '10.0.0.9']]))
    for (const bind_addr of ['10.0.0.1', '0.0.0.0']) {
      for (const given of [{ advertise_addr: '10.0.0.9' }, flags.ok ? flags.value.scalars : {}]) {
        expect(normalize({ ...server, bind_addr, ...given }, false, machine('10.0.0.1'))).toMatchObject({
          value: { config: { bindAddress: bind_addr, advertiseAddress: '10.0.0.9' } },
        })
      }
      expect(normalize({ ...server, bind_addr }, false, machine('10.0.0.1'))).toMatchObject({
        value: { config: { bindAddress: bind_addr, advertiseAddress: '10.0.0.1' } },
      })
    }
  })

  it('has addresses of the cluster in the form in which other agents see them, however they are written', () => {
    const written = ['2001:DB8::A', '2001:db8:0:0:0:0:0:a', '2001:0db8::000a']
    for (const text of written) {
      for (const given of [{ advertise_addr: text, advertise_addr_wan: text }, { bind_addr: text }]) {
        expect(normalize({ ...server, ...given }, false, machine('10.0.0.1'))).toMatchObject({
          value: { config: { advertiseAddress: '2001:db8::a', wan: { advertiseAddress: '2001:db8::a' } } },
        })
      }
    }
    expect(normalize({ ...server, advertise_addr: '::ffff:10.0.0.9' }, false, machine('10.0.0.1'))).toMatchObject({
      value: { config: { advertiseAddress: '10.0.0.9' } },
    })
    expect(linesOfConfig({ ...server, advertise_addr: '::0' }, false, machine('10.0.0.1'))[0]).toContain(
      'Advertise address cannot be 0.0.0.0, :: or [::]',
    )
  })

  it('has none of an empty text, as if its key was not there: the default holds', () => {
    const plain = normalize(server, false, machine('10.0.0.1'))
    const keys: readonly FileConfig[] = [
      { advertise_addr: '' },
      { advertise_addr_wan: '' },
      { serf_lan: '' },
      { serf_wan: '' },
      { addresses: { dns: '', http: '', https: '', grpc: '' } },
      { node_id: '' },
    ]
    expect(plain.ok).toBe(true)
    for (const given of keys) {
      const normalized = normalize({ ...server, ...given }, false, machine('10.0.0.1'))
      expect([given, normalized.ok ? normalized.value.config : normalized.error]).toEqual([
        given,
        plain.ok && plain.value.config,
      ])
    }
    const empty = { advertise_addr: '', bind_addr: '0.0.0.0' }
    expect(normalize({ ...server, ...empty }, false, machine('10.0.0.1'))).toMatchObject({
      value: { config: { advertiseAddress: '10.0.0.1' } },
    })
  })

  it('gives an address to join without a port that of gossip', () => {
    const entries = ['10.0.0.2', '10.0.0.3:9301', '[fd00::1]:1', 'fd00::2', 'db.internal', 'db:9301']
    const joins = (more: FileConfig): unknown => {
      const normalized = normalize(
        { ...server, retry_join: entries, start_join: ['10.0.0.9'], ...more },
        false,
        machine(),
      )
      return normalized.ok ? [...normalized.value.config.startJoin, ...normalized.value.config.retryJoin] : normalized
    }
    expect(joins({})).toEqual([
      ...['10.0.0.9:8301', '10.0.0.2:8301', '10.0.0.3:9301', '[fd00::1]:1', '[fd00::2]:8301'],
      ...['db.internal:8301', 'db:9301'],
    ])
    expect(joins({ ports: { serf_lan: 7301 } })).toContain('10.0.0.2:7301')
  })

  it('has DNS where clients are, unless each face has an address of its own', () => {
    const faces = (file: FileConfig): unknown => {
      const normalized = normalize({ ...server, ...file }, false, machine())
      if (!normalized.ok) return normalized
      return [normalized.value.config.clientAddresses, normalized.value.config.dnsAddresses]
    }
    expect(faces({ client_addr: '127.0.0.1 10.0.0.1' })).toEqual([
      ['127.0.0.1', '10.0.0.1'],
      ['127.0.0.1', '10.0.0.1'],
    ])
    expect(faces({ addresses: { dns: '0.0.0.0' } })).toEqual([['127.0.0.1'], ['0.0.0.0']])
  })

  it('[UPG-044] takes the first of several private addresses before 0.6, and refuses to guess since', () => {
    const file: FileConfig = { server: true, data_dir: '/x' }
    const on = machine('8.8.8.8', '192.168.0.1', '10.0.0.1')
    const as = (release: string) => normalize(file, false, on, undefined, parseRelease(release))
    expect(as('0.5.2')).toMatchObject({ ok: true, value: { config: { advertiseAddress: '192.168.0.1' } } })
    expect(as('0.6.0')).toMatchObject({ ok: false, error: [{ message: 'Multiple private IPv4 addresses found' }] })
  })

  it('[AGT-026] refuses to guess between several private addresses, and takes the only one', () => {
    const file: FileConfig = { server: true, data_dir: '/x' }
    expect(linesOfConfig(file, false, machine('10.0.0.1', '192.168.0.1'))[0]).toContain(
      "Multiple private IPv4 addresses found: configure one with '-bind' and/or '-advertise'",
    )
    expect(linesOfConfig(file, false, machine('8.8.8.8'))[0]).toContain('No private IPv4 address found')
    expect(normalize(file, false, machine('8.8.8.8', '100.64.0.9'))).toMatchObject({
      ok: true,
      value: { config: { bindAddress: '0.0.0.0', advertiseAddress: '100.64.0.9' } },
    })
  })

  it('tells the only public IPv6 address where it listens on all of them', () => {
    const file: FileConfig = { server: true, data_dir: '/x', bind_addr: '::' }
    expect(normalize(file, false, machine('10.0.0.1', 'fe80::1%eth0', 'fd00::1', '2600::1'))).toMatchObject({
      ok: true,
      value: { config: { bindAddress: '::', advertiseAddress: '2600::1' } },
    })
    expect(linesOfConfig(file, false, machine('10.0.0.1', 'fd00::1'))[0]).toContain('No public IPv6 address found')
    expect(linesOfConfig(file, false, machine('2600::1', '2600::2'))[0]).toContain(
      "Multiple public IPv6 addresses found: configure one with '-bind' and/or '-advertise'",
    )
  })

  it('[AGT-027] takes an address that is named, however many private ones there are', () => {
    const file: FileConfig = { server: true, data_dir: '/x' }
    const two = machine('10.0.0.1', '192.168.0.1')
    expect(linesOfConfig({ ...file, bind_addr: '10.0.0.1' }, false, two)).toEqual([])
    expect(linesOfConfig({ ...file, advertise_addr: '10.0.0.1' }, false, two)).toEqual([])
  })
})

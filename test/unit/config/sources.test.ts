import { describe, expect, it } from 'vitest'
import { agentFlags } from '../../../src/config/agent-flags.ts'
import { configOfFlags } from '../../../src/config/flags.ts'
import { normalize } from '../../../src/config/normalize.ts'
import type { FileConfig } from '../../../src/config/schema.ts'
import { mergeConfig } from '../../../src/config/sources/sources.ts'
import { machine, server } from './normalized.ts'

describe('sources', () => {
  it('replace scalars, append lists and merge blocks', () => {
    const earlier: FileConfig = { retry_join: ['a'], node_name: 'x', ports: { http: 1, dns: 2 }, node_meta: { a: '1' } }
    const later: FileConfig = { retry_join: ['b'], node_name: 'y', ports: { http: 3 }, node_meta: { b: '2' } }
    expect(mergeConfig(earlier, later)).toEqual({
      retry_join: ['a', 'b'],
      node_name: 'y',
      ports: { http: 3, dns: 2 },
      node_meta: { a: '1', b: '2' },
    })
  })

  it.each([
    ['retry-interval', '5', 'missing unit in duration'],
    ['retry-interval-wan', '-5s', 'must not be negative'],
    ['log-rotate-duration', 'x', 'not a duration'],
    ['log-rotate-max-files', '-2', '-1'],
    ['names', 'bogus', 'svc'],
  ])('refuse -%s %s, as a file with that value is', (flag, value, remedy) => {
    const shown = flag === 'log-rotate-max-files' ? value : JSON.stringify(value)
    expect(configOfFlags(new Map([[flag, value]]))).toEqual({
      ok: false,
      error: [{ place: `-${flag}`, message: `invalid value ${shown}`, remedy: expect.stringContaining(remedy) }],
    })
  })

  it('take flags apart into those before and those after the files', () => {
    const given = new Map<string, boolean | string | readonly string[]>([
      ['server', true],
      ['bootstrap-expect', '3'],
      ['retry-join', ['10.0.0.2']],
      ['http-port', '-1'],
      ['node-meta', ['rack:r1', 'bare']],
    ])
    expect(configOfFlags(given)).toEqual({
      ok: true,
      value: {
        lists: { retry_join: ['10.0.0.2'] },
        scalars: { bootstrap_expect: 3, node_meta: { rack: 'r1', bare: '' }, ports: { http: -1 }, server: true },
      },
    })
    expect(configOfFlags(new Map([['http-port', 'x']]))).toMatchObject({ ok: false, error: [{ place: '-http-port' }] })
  })

  it('that name a port which is none are found out with the configuration, before anything is opened', () => {
    for (const [flag, key] of [
      ['http-port', 'http'],
      ['dns-port', 'dns'],
      ['serf-lan-port', 'serf_lan'],
    ] as const) {
      const given = configOfFlags(new Map([[flag, '99999']]))
      if (!given.ok) throw new Error(given.error[0]?.message)
      expect(normalize({ ...server, ...given.value.scalars }, false, machine())).toMatchObject({
        ok: false,
        error: [{ message: `ports.${key} cannot be 99999`, remedy: 'write a port from 1 to 65535, or -1 for none' }],
      })
    }
  })

  it.each(['1', '2'])('[CFG-023] the flag -raft-protocol=%s chooses the Raft protocol over a file', (value) => {
    const flags = configOfFlags(new Map([['raft-protocol', value]]))
    const file = { ...server, raft_protocol: 3 }
    expect(normalize(mergeConfig(file, flags.ok ? flags.value.scalars : {}), false, machine())).toMatchObject({
      value: { config: { raft: { protocol: Number(value) } } },
    })
  })

  it('set the keys that their names say', () => {
    const others: Readonly<Record<string, string>> = {
      ...{
        advertise: 'advertise_addr',
        'advertise-wan': 'advertise_addr_wan',
        bind: 'bind_addr',
        client: 'client_addr',
      },
      ...{ join: 'start_join', 'join-wan': 'start_join_wan', node: 'node_name', recursor: 'recursors' },
      ...{ rejoin: 'rejoin_after_leave', syslog: 'enable_syslog' },
      ...{ 'serf-lan-bind': 'serf_lan', 'serf-wan-bind': 'serf_wan' },
    }
    const keyOf = (name: string): string => others[name] ?? name.replaceAll('-', '_').replace(/^(.*)_port$/, 'ports.$1')
    const setting = agentFlags.filter(({ path }) => path !== undefined)
    expect(setting.map(({ name, path }) => [name, path?.join('.')])).toEqual(
      setting.map(({ name }) => [name, keyOf(name)]),
    )
  })

  it('have one flag for each name', () => {
    const names = agentFlags.map((flag) => flag.name)
    expect(new Set(names).size).toBe(names.length)
  })
})

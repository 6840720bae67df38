import { describe, expect, it } from 'vitest'
import { configDifferences } from '../../../src/config/differences.ts'
import { normalize } from '../../../src/config/normalize.ts'
import { problemText } from '../../../src/config/problem.ts'
import type { FileConfig } from '../../../src/config/schema.ts'

function read(file: FileConfig) {
  const machine = { hostName: 'a', architecture: 'x', operatingSystem: 'l', cpuCount: 1, interfaces: () => [] }
  const normalized = normalize({ data_dir: '/d', bind_addr: '10.0.0.1', ...file }, false, machine)
  if (!normalized.ok) throw new Error(normalized.error.map(problemText).join('\n'))
  return normalized.value
}

describe('what a reload changed', () => {
  it('is told key by key, with the values of what was taken over', () => {
    const started = read({ node_meta: { rack: 'r1' }, limits: { rpc_rate: 5 } })
    const next = read({ node_meta: { rack: 'r2' }, log_level: 'DEBUG', discard_check_output: true })
    expect(configDifferences(started, started, next)).toEqual([
      { text: 'discard_check_output is true, was false', applied: true },
      { text: 'log_level is "DEBUG", was "INFO"', applied: true },
      { text: 'node_meta is {"rack":"r2"}, was {"rack":"r1"}', applied: true },
      { text: 'limits.rpc_rate is -1, was 5', applied: true },
    ])
  })

  it('and a token that was taken over is reported without its secret', () => {
    const [started, next] = [read({ acl_token: 'former' }), read({ acl_token: 'x', acl: { tokens: { agent: 'y' } } })]
    expect(configDifferences(started, started, next)).toEqual([
      { text: 'acl.tokens.agent has changed', applied: true },
      { text: 'acl_token has changed', applied: true },
    ])
  })

  it('and what waits for the next start is said at each reload until then, without a value, which may be a secret', () => {
    const started = read({})
    const next = read({
      encrypt: 'pUqJrVyVRj5jsiYEkM/tFQ==',
      datacenter: 'east',
      ports: { dns: 53 },
      acl_master_token: 'x',
    })
    const waiting = ['acl_master_token', 'datacenter', 'encrypt', 'ports.dns'].map((key) => {
      const unless = '; if /d/serf/local.keyring holds keys, they take precedence: change keys with svc keyring'
      return { text: `${key} has changed: restart to apply${key === 'encrypt' ? unless : ''}`, applied: false }
    })
    expect(configDifferences(started, started, next)).toEqual(waiting)
    expect(configDifferences(started, next, next)).toEqual(waiting)
    expect(configDifferences(started, next, read({}))).toEqual([])
  })

  it('and of another key for gossip that those which are kept win, unless none are kept', () => {
    const [one, other] = ['pUqJrVyVRj5jsiYEkM/tFQ==', 'AAAAAAAAAAAAAAAAAAAAAA==']
    const textsOf = (more: FileConfig, encrypt: string | undefined) =>
      configDifferences(
        read({ encrypt: one, ...more }),
        read({ encrypt: one, ...more }),
        read({ ...more, ...(encrypt === undefined ? {} : { encrypt }) }),
      )
    const kept =
      'encrypt has changed without effect: the keys in /d/serf/local.keyring take precedence; change keys with svc keyring'
    expect(textsOf({}, other)).toEqual([{ text: kept, applied: false }])
    expect(textsOf({}, undefined)).toEqual([{ text: kept, applied: false }])
    const waits = [{ text: 'encrypt has changed: restart to apply', applied: false }]
    expect(textsOf({ disable_keyring_file: true }, other)).toEqual(waits)
  })

  it('names services and checks that are new, changed or gone', () => {
    const service = (port: number) => ({ name: 'web', port })
    const started = read({ services: [service(1), { name: 'old' }], check: { name: 'up', ttl: '1s' } })
    const next = read({ services: [service(2), { name: 'new' }], check: { name: 'up', ttl: '1s' } })
    const texts = ['service "new" is new', 'service "old" was removed', 'service "web" has changed']
    expect(configDifferences(started, started, next).filter(({ text }) => text.startsWith('service "'))).toEqual(
      texts.map((text) => ({ text, applied: true })),
    )
  })

  it('is nothing where a default is written out', () => {
    expect(configDifferences(read({}), read({}), read({ log_level: 'INFO', retry_join: [] }))).toEqual([])
  })
})

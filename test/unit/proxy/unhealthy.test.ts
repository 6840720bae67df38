import { describe, expect, it } from 'vitest'
import { utf8 } from '../../../src/base/bytes.ts'
import { whyUnhealthy } from '../../../src/proxy/discovery.ts'

const instance = (id: string, ...checks: readonly (readonly [name: string, status: string])[]) => ({
  Node: { Node: 'n1' },
  Service: { ID: id },
  Checks: checks.map(([Name, Status]) => ({ Name, Status })),
})
const why = (value: unknown) => whyUnhealthy(utf8(JSON.stringify(value)))

describe('why a service has no instance to connect to', () => {
  it('names the checks that do not pass, some of them, or that there is no proxy', () => {
    expect(why([])).toBe('it has no registered proxy')
    expect(why([instance('db-sidecar-proxy', ['serf', 'passing'], ['Connect Sidecar Listening', 'critical'])])).toBe(
      'it has no healthy instance: "Connect Sidecar Listening" of db-sidecar-proxy on n1 is critical',
    )
    const many = Array.from({ length: 6 }, (_, at) => instance(`p${at}`, ['alive', 'warning']))
    expect(why(many)).toMatch(/^it has no healthy instance: ("alive" of p\d on n1 is warning, ){4}and 2 more checks/)
  })

  it('says no more where the agent does not tell it', () => {
    expect(whyUnhealthy(utf8('no'))).toBe('it has no healthy instance')
    expect(why([instance('p', ['alive', 'passing'])])).toBe('it has no healthy instance')
  })
})

import { describe, expect, it } from 'vitest'
import type { AgentConfig } from '../../../src/agent/settings/agent-config.ts'
import { type Normalized, normalize } from '../../../src/config/normalize.ts'
import type { FileConfig } from '../../../src/config/schema.ts'
import { parseDocument } from '../../../src/config/sources/document.ts'
import { validateDocument } from '../../../src/config/validate.ts'
import type { Machine } from '../../../src/env/process.ts'
import { segmentMetaKey, variableNames } from '../../../src/model/naming/names.ts'
import { fieldNaming, type Naming, namingOfProgram, svcNaming } from '../../../src/model/naming/naming.ts'
import { toldDocument, toldUnder } from '../../../src/model/naming/told.ts'

const machine: Machine = {
  hostName: 'h',
  architecture: 'x64',
  operatingSystem: 'linux',
  cpuCount: 2,
  interfaces: () => [],
}

function read(more: FileConfig, program = svcNaming): AgentConfig {
  const file: FileConfig = { data_dir: '/d', bind_addr: '10.0.0.1', connect: { enabled: true }, ...more }
  const read = normalize(file, false, machine, undefined, undefined, undefined, program)
  if (!read.ok) throw new Error(JSON.stringify(read.error))
  const { config }: Normalized = read.value
  return config
}

describe('the setting names', () => {
  it('is what the program was called, unless it is written', () => {
    expect(namingOfProgram('consul')).toBe(fieldNaming)
    expect(namingOfProgram('anything')).toBe(svcNaming)
    expect(read({}).naming).toBe(svcNaming)
    expect(read({}, fieldNaming).naming).toBe(fieldNaming)
    expect(read({ names: 'svc' }, fieldNaming).naming).toBe(svcNaming)
    expect(read({ names: 'consul' }).naming).toBe(fieldNaming)
  })

  it('is the default of all that carries the name, and what is written goes before it', () => {
    const { dns, http, mesh, telemetry, tls } = read({ names: 'consul' })
    expect([dns.domains, dns.serversService, http.aliases]).toEqual([['consul.'], 'consul', []])
    expect([mesh.provider, mesh.dnsDomain, telemetry.prefix, tls.domain]).toEqual(Array(4).fill('consul'))
    const written = read({ names: 'consul', aliases: ['svc'], domain: 'corp', telemetry: { metrics_prefix: 'm' } })
    expect(written.dns.domains).toEqual(['corp.', 'svc.'])
    expect([written.http.aliases, written.telemetry.prefix]).toEqual([['svc'], 'm'])
  })

  it('is one of two', () => {
    const document = parseDocument('f', '{"names": "nomad"}')
    expect(document.ok && validateDocument(document.value).ok).toBe(false)
  })
})

describe('texts of the program', () => {
  it('have the name of the naming, and leave alone what is not it', () => {
    const told = (text: string): string => toldUnder(fieldNaming, text)
    expect(told('Runs a Svc agent: svc agent, $SVC_HTTP_ADDR, `svc.http`, svc-debug')).toBe(
      'Runs a Consul agent: consul agent, $CONSUL_HTTP_ADDR, `consul.http`, consul-debug',
    )
    for (const text of ['svc-sim plan', '/ns/a/dc/b/svc/c', 'kubernetes.default.svc:443', 'svcs', 'mysvc'])
      expect(told(text)).toBe(text)
    expect(toldUnder(svcNaming, 'svc Svc SVC_A')).toBe('svc Svc SVC_A')
  })

  it('and so have documents: members, too, and an enumeration of both once', () => {
    const document = { 'X-Svc-Index': { enum: ['svc', 'consul'] }, names: { enum: ['svc', 'consul'] } }
    expect(toldDocument(fieldNaming, document)).toEqual({
      'X-Consul-Index': { enum: ['consul'] },
      names: { enum: ['svc', 'consul'] },
    })
  })

  it('and variables and metadata', () => {
    const named = (naming: Naming, aliases: readonly string[]) => variableNames({ naming, aliases }, 'INDEX')
    expect(named(svcNaming, svcNaming.aliases)).toEqual(['SVC_INDEX', 'CONSUL_INDEX'])
    expect(named(svcNaming, ['other'])).toEqual(['SVC_INDEX'])
    expect(named(fieldNaming, [])).toEqual(['CONSUL_INDEX'])
    expect(named(fieldNaming, ['SVC'])).toEqual(['CONSUL_INDEX', 'SVC_INDEX'])
    expect(segmentMetaKey(fieldNaming)).toBe('consul-network-segment')
  })
})

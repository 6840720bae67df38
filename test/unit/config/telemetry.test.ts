import { describe, expect, it } from 'vitest'
import { debugConfig } from '../../../src/config/debug.ts'
import { normalize } from '../../../src/config/normalize.ts'
import { problemText } from '../../../src/config/problem.ts'
import { parseDocument } from '../../../src/config/sources/document.ts'
import { validateDocument } from '../../../src/config/validate.ts'
import type { Machine } from '../../../src/env/process.ts'

const machine: Machine = {
  hostName: 'host-1',
  architecture: 'x64',
  operatingSystem: 'linux',
  cpuCount: 2,
  interfaces: () => [],
}

/** A configuration with this block, and what is said of it. */
function withTelemetry(telemetry: object) {
  const document = parseDocument('a.json', JSON.stringify({ telemetry, data_dir: '/d', bind_addr: '10.0.0.1' }))
  if (!document.ok) throw new Error(problemText(document.error))
  const validated = validateDocument(document.value)
  if (!validated.ok) return { warnings: [], problems: validated.error.map(problemText), config: undefined }
  const normalized = normalize(validated.value.config, false, machine)
  if (!normalized.ok) return { warnings: [], problems: normalized.error.map(problemText), config: undefined }
  const { warnings } = normalized.value
  const { config } = normalized.value
  return { warnings, problems: [], config: config.telemetry, debug: debugConfig(config) }
}

describe('the block telemetry', () => {
  it('is sent nowhere by default, and has the name of the product as its prefix', () => {
    expect(withTelemetry({}).config).toEqual({
      prefix: 'svc',
      product: 'svc',
      names: 'single',
      labels: true,
      disableHostname: false,
      filter: { allowed: [], blocked: [], otherwise: true },
      prometheusRetentionMs: 0,
      statsd: undefined,
      statsite: undefined,
      dogstatsd: undefined,
      dogstatsdTags: [],
    })
  })

  it('names the receivers, the filter and the prefix, and is shown', () => {
    const { config, warnings, debug } = withTelemetry({
      metrics_prefix: 'acme',
      disable_hostname: true,
      filter_default: false,
      prefix_filter: ['+acme.raft', '-acme.raft.apply', '+acme.http'],
      prometheus_retention_time: '60s',
      statsd_address: 'metrics.example.com:8125',
      statsite_address: '[fd00::9]:8126',
      dogstatsd_addr: 'localhost:8127',
      dogstatsd_tags: ['a', 'b:c'],
    })
    expect(warnings).toEqual([])
    expect(config).toEqual({
      prefix: 'acme',
      product: 'svc',
      names: 'single',
      labels: true,
      disableHostname: true,
      filter: { allowed: ['acme.raft', 'acme.http'], blocked: ['acme.raft.apply'], otherwise: false },
      prometheusRetentionMs: 60_000,
      statsd: { host: 'metrics.example.com', port: 8125 },
      statsite: { host: 'fd00::9', port: 8126 },
      dogstatsd: { host: '127.0.0.1', port: 8127 },
      dogstatsdTags: ['a', 'b:c'],
    })
    expect(debug).toMatchObject({ TelemetryStatsiteAddr: '[fd00::9]:8126', TelemetryFilterDefault: false })
  })

  it('tells of rules that are none, and goes on without them', () => {
    const { config, warnings } = withTelemetry({ prefix_filter: ['foo', '', '-svc.raft'] })
    expect(warnings).toEqual([
      `Filter rule must begin with either '+' or '-': "foo"`,
      'Cannot have empty filter rule in prefix_filter',
    ])
    expect(config?.filter).toEqual({ allowed: [], blocked: ['svc.raft'], otherwise: true })
  })

  it.each([
    ['dogstatsd_addr', 'metrics-:8125', 'is not a host and a port'],
    ['dogstatsd_addr', '10.0.0:8125', 'is not a host and a port'],
    ['dogstatsd_addr', '10.0.0.9:0', 'is not a host and a port'],
  ])('refuses %s %s: %s', (key, text, why) => {
    const remedy = 'write an address or a name and a port, such as 127.0.0.1:8125'
    expect(withTelemetry({ [key]: text }).problems).toEqual([`config: telemetry.${key} "${text}": ${why}: ${remedy}`])
  })

  it('has no receiver at Circonus: its keys are read past, each with a warning', () => {
    const { config, warnings } = withTelemetry({ circonus_api_token: 't', circonus_check_id: '1', metrics_prefix: 'a' })
    expect(warnings).toEqual([
      "config: 'telemetry.circonus_api_token' has no effect: nothing is sent to Circonus",
      "config: 'telemetry.circonus_check_id' has no effect: nothing is sent to Circonus",
    ])
    expect(config?.prefix).toBe('a')
  })

  it('refuses a key that it does not have', () => {
    expect(withTelemetry({ statsd_addres: 'x' }).problems[0]).toContain("did you mean 'statsd_address'?")
  })
})
